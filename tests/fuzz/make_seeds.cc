// Writes the seed corpora of the fuzz programs: DIR/onnx_import_fuzz and DIR/tflite_import_fuzz get
// one small model for every operator that has an import rule, and those that run what they read the
// same. The models need not be valid: they bring the fuzzer to every rule, and it does the rest.
// DIR/run_onnx_fuzz gets random graphs besides, which are.

#include <cstdio>
#include <filesystem>
#include <map>

#include "hone/base/file.h"
#include "hone/model/save.h"
#include "hone/ops/op_def.h"
#include "hone/wire/onnx.h"
#include "hone/wire/tflite_testing.h"
#include "tests/random/random_graph.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

OnnxAttrValue onnx_value(const Attr& attr) {
  if (const auto* real = std::get_if<double>(&attr)) return static_cast<float>(*real);
  if (const auto* text = std::get_if<std::string>(&attr)) return *text;
  if (const auto* dtype = std::get_if<DType>(&attr)) return dtype_to_onnx(*dtype);
  if (const auto* ints = std::get_if<Ints>(&attr)) return ints->empty() ? Ints{1, 1} : *ints;
  if (const auto* reals = std::get_if<Floats>(&attr)) {
    return std::vector<float>(reals->begin(), reals->end());
  }
  if (const auto* texts = std::get_if<Strings>(&attr)) return *texts;
  if (const auto* integer = std::get_if<int64_t>(&attr)) return *integer;
  if (std::holds_alternative<std::shared_ptr<Graph>>(attr)) {
    auto body = std::make_shared<OnnxGraph>();
    body->outputs.push_back({"x0", std::nullopt});
    return body;
  }
  return Tensor::scalar(1.0f);
}

DType first_type(const DTypeSet& types) {
  for (const DType dtype : {DType::F32, DType::I64, DType::U8, DType::Bool, DType::String}) {
    if (types.contains(dtype)) return dtype;
  }
  return DType::F32;
}

// Index inputs are small constants, so that shape arithmetic runs; the others are graph inputs.
void add_input(OnnxGraph& graph, OnnxNode& node, const InputDef& input) {
  const std::string name = "x" + std::to_string(node.inputs.size());
  const DType dtype = first_type(input.types);
  node.inputs.push_back(name);
  if (dtype == DType::I64) {
    graph.initializers.emplace_back(name, Tensor::of_ints({1, 1}));
    return;
  }
  const OnnxType type{.dtype = dtype,
                      .shape = std::vector<OnnxDim>{{1, ""}, {2, ""}, {4, ""}, {4, ""}},
                      .sequence = input.kind == InputDef::Kind::Sequence};
  graph.inputs.push_back({name, type});
}

OnnxModel onnx_seed(const OpDef& op, const OnnxRule& rule, int64_t opset) {
  OnnxModel model;
  model.ir_version = 8;
  model.opsets[""] = opset;
  if (!rule.domain.empty()) model.opsets[std::string(rule.domain)] = 1;
  model.graph.name = "seed";
  OnnxNode node;
  node.name = "n";
  node.op_type = rule.op_type;
  node.domain = rule.domain;
  for (const InputDef& input : op.inputs) add_input(model.graph, node, input);
  for (const AttrDef& attr : op.attrs) {
    node.attrs.emplace(attr.name, OnnxAttr{onnx_value(attr.value), ""});
  }
  for (int i = 0; i < op.min_outputs; ++i) {
    node.outputs.push_back("y" + std::to_string(i));
    model.graph.outputs.push_back({node.outputs.back(), std::nullopt});
  }
  model.graph.nodes.push_back(std::move(node));
  return model;
}

Status write_onnx_seeds(const fs::path& folder) {
  for (const OpDef* op : all_ops()) {
    for (const OnnxRule& rule : op->onnx) {
      for (const int64_t opset : {7, 11, 21}) {
        HONE_TRY(const std::string bytes, write_onnx_bytes(onnx_seed(*op, rule, opset)));
        HONE_RETURN_IF_ERROR(write_file(folder / str(rule.op_type, "_", opset, ".onnx"), bytes));
      }
    }
  }
  return Done{};
}

std::map<std::string_view, tfl::BuiltinOperator> builtins() {
  std::map<std::string_view, tfl::BuiltinOperator> names;
  for (const tfl::BuiltinOperator code : tfl::EnumValuesBuiltinOperator()) {
    names[tfl::EnumNameBuiltinOperator(code)] = code;
  }
  return names;
}

// Two 4-d inputs, a vector of small integers, one output; quantized or float.
tfl::ModelT tflite_seed(tfl::BuiltinOperator code, bool quantized) {
  tfl::ModelT model;
  model.version = 3;
  add_buffer(model, {});
  model.subgraphs.push_back(std::make_unique<tfl::SubGraphT>());
  tfl::SubGraphT& main = *model.subgraphs[0];
  const tfl::TensorType type = quantized ? tfl::TensorType::INT8 : tfl::TensorType::FLOAT32;
  const auto add = [&](const char* name, uint32_t buffer) {
    tfl::TensorT& tensor = add_tensor(main, name, type, {1, 2, 2, 2}, buffer);
    if (quantized) quantize(tensor, {0.5f}, {1});
  };
  add("x", 0);
  add("w", add_buffer(model, std::vector<uint8_t>(quantized ? 8 : 32)));
  add_tensor(main, "n", tfl::TensorType::INT32, {2},
             add_buffer(model, bytes_of_values<int32_t>({1, 2})));
  add("y", 0);
  main.inputs = {0};
  main.outputs = {3};
  add_op(model, code, {0, 1, 2}, {3});
  return model;
}

// An LSTM that is imported to the end: one step, or a sequence with states, quantized or float.
tfl::ModelT lstm_seed(tfl::BuiltinOperator code, bool quantized, size_t inputs) {
  tfl::ModelT model = tflite_seed(code, quantized);
  tfl::SubGraphT& main = *model.subgraphs[0];
  main.tensors[0]->shape = {1, 2, 2};
  if (code == tfl::BuiltinOperator::LSTM) main.tensors[0]->shape = {1, 2};
  main.tensors[1]->shape = {2, 2};
  if (quantized) quantize(*main.tensors[1], {0.5f}, {0});
  main.tensors[1]->buffer = add_buffer(model, std::vector<uint8_t>(quantized ? 4 : 16, 1));
  const tfl::TensorType bias = quantized ? tfl::TensorType::INT32 : tfl::TensorType::FLOAT32;
  add_tensor(main, "b", bias, {2}, add_buffer(model, std::vector<uint8_t>(8)));
  tfl::TensorT& h = add_tensor(main, "h", main.tensors[0]->type, {1, 2});
  h.is_variable = true;
  if (quantized) quantize(h, {0.5f}, {1});
  tfl::TensorT& c =
      add_tensor(main, "c", quantized ? tfl::TensorType::INT16 : tfl::TensorType::FLOAT32, {1, 2});
  c.is_variable = true;
  if (quantized) quantize(c, {0x1p-12f}, {0});
  tfl::OperatorT& op = *main.operators[0];
  op.inputs = {0, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, 4, 4, 4, 4, -1, -1, 5, 6};
  op.inputs.resize(inputs, -1);
  if (quantized) op.intermediates = {3, 3, 3, 3, 3};
  return model;
}

// IF or WHILE around a second subgraph.
tfl::ModelT control_seed(tfl::BuiltinOperator code) {
  tfl::ModelT model;
  model.version = 3;
  add_buffer(model, {});
  for (int i = 0; i < 3; ++i) {
    model.subgraphs.push_back(std::make_unique<tfl::SubGraphT>());
    tfl::SubGraphT& subgraph = *model.subgraphs.back();
    add_tensor(subgraph, "flag", tfl::TensorType::BOOL, {});
    add_tensor(subgraph, "x", tfl::TensorType::FLOAT32, {2});
    add_tensor(subgraph, "flag_out", tfl::TensorType::BOOL, {});
    add_tensor(subgraph, "y", tfl::TensorType::FLOAT32, {2});
  }
  const bool loop = code == tfl::BuiltinOperator::WHILE;
  if (loop) {
    for (const auto& subgraph : model.subgraphs) subgraph->inputs = {0, 1};
    model.subgraphs[0]->outputs = {2, 3};
    model.subgraphs[1]->outputs = {0};
    model.subgraphs[2]->outputs = {0, 1};
    tfl::WhileOptionsT options;
    options.cond_subgraph_index = 1;
    options.body_subgraph_index = 2;
    add_op(model, code, {0, 1}, {2, 3}).builtin_options.Set(std::move(options));
  } else {
    for (const auto& subgraph : model.subgraphs) subgraph->inputs = subgraph->outputs = {1};
    model.subgraphs[0]->inputs = {0, 1};
    model.subgraphs[0]->outputs = {3};
    tfl::IfOptionsT options;
    options.then_subgraph_index = 1;
    options.else_subgraph_index = 2;
    add_op(model, code, {0, 1}, {3}).builtin_options.Set(std::move(options));
  }
  return model;
}

Status write_recurrent_seeds(const fs::path& folder) {
  using Code = tfl::BuiltinOperator;
  for (const bool quantized : {false, true}) {
    for (const size_t inputs : {20, 24}) {
      const std::string name = str("lstm_", inputs, quantized ? "_i8" : "_f32", ".tflite");
      HONE_RETURN_IF_ERROR(write_file(
          folder / name, packed(lstm_seed(Code::UNIDIRECTIONAL_SEQUENCE_LSTM, quantized, inputs))));
    }
  }
  HONE_RETURN_IF_ERROR(
      write_file(folder / "lstm_step.tflite", packed(lstm_seed(Code::LSTM, false, 20))));
  HONE_RETURN_IF_ERROR(write_file(folder / "while.tflite", packed(control_seed(Code::WHILE))));
  return write_file(folder / "if.tflite", packed(control_seed(Code::IF)));
}

Status write_tflite_seeds(const fs::path& folder) {
  HONE_RETURN_IF_ERROR(write_file(folder / "small.tflite", packed(small_model())));
  HONE_RETURN_IF_ERROR(write_recurrent_seeds(folder));
  const auto codes = builtins();
  for (const OpDef* op : all_ops()) {
    for (const TfliteRule& rule : op->tflite) {
      const auto code = codes.find(rule.op);
      if (code == codes.end()) continue;
      for (const bool quantized : {false, true}) {
        const std::string name = str(rule.op, quantized ? "_i8" : "_f32", ".tflite");
        HONE_RETURN_IF_ERROR(
            write_file(folder / name, packed(tflite_seed(code->second, quantized))));
      }
    }
  }
  return Done{};
}

Status write_random_graphs(const fs::path& folder) {
  constexpr uint64_t kOfEachKind = 40;
  for (const GraphKind kind : kGraphKinds) {
    for (uint64_t seed = 0; seed < kOfEachKind; ++seed) {
      const fs::path path = folder / str(name_of(kind), "_", seed, ".onnx");
      HONE_RETURN_IF_ERROR(save_onnx(random_graph(kind, seed), path));
    }
  }
  return Done{};
}

Status make_seeds(const fs::path& folder) {
  for (const char* name :
       {"onnx_import_fuzz", "tflite_import_fuzz", "run_onnx_fuzz", "run_tflite_fuzz"}) {
    std::error_code error;
    fs::create_directories(folder / name, error);
    if (error) return bad_input(folder.string(), ": cannot be made: ", error.message());
  }
  for (const char* name : {"onnx_import_fuzz", "run_onnx_fuzz"}) {
    HONE_RETURN_IF_ERROR(write_onnx_seeds(folder / name));
  }
  for (const char* name : {"tflite_import_fuzz", "run_tflite_fuzz"}) {
    HONE_RETURN_IF_ERROR(write_tflite_seeds(folder / name));
  }
  return write_random_graphs(folder / "run_onnx_fuzz");
}

}  // namespace
}  // namespace hone

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: hone_seeds DIR\n");
    return 3;
  }
  const hone::Status status = hone::make_seeds(argv[1]);
  if (status.ok()) return 0;
  std::fprintf(stderr, "hone_seeds: %s\n", status.error().message.c_str());
  return 3;
}
