// TFLite structs -> Graph: tensors become values, and each operator goes to its import rule. An
// operator that runs other subgraphs has their operators added where it wants them.

#include "hone/ops/tflite_import.h"

#include <algorithm>
#include <map>
#include <set>

#include "hone/model/example_shapes.h"
#include "hone/model/load.h"
#include "hone/ops/op_def.h"

namespace hone {
namespace {

constexpr size_t kTfliteImportDeepestCall = 32;
constexpr size_t kMostOps = 200'000;
// Of all state together: a file of a few bytes can claim any.
constexpr uint64_t kLargestState = uint64_t{1} << 26;

using Sources = TfliteSubgraphs::Sources;

std::string label_of(const TfliteSubgraph& subgraph, const TfliteOp& op) {
  if (op.outputs.empty() || op.outputs[0] < 0) return op.name;
  return subgraph.tensors[static_cast<size_t>(op.outputs[0])].name;
}

// What state holds when a run begins: zeros, as real numbers. Extents that the signature leaves
// open are 1, as TFLite has them. `held` counts the bytes of all state.
Result<Tensor> initial_state(const std::string& name, TensorType type, uint64_t& held) {
  std::ranges::replace(type.shape, kUnknown, int64_t{1});
  if (!type.known() || type.dtype == DType::String || type.bytes() > kLargestState - held) {
    return unsupported("state '", name, "' of ", type);
  }
  held += type.bytes();
  Tensor state(type);
  if (type.dtype == DType::I8 && type.quantized()) {
    std::ranges::fill(state.mutable_data<int8_t>(), static_cast<int8_t>(type.quant->zero_point()));
  }
  return state;
}

class TfliteImportBuilder {
 public:
  TfliteImportBuilder(TfliteSubgraphs& subgraphs, const TfliteSubgraph& subgraph, Graph& graph,
                      Sources sources)
      : subgraphs_(subgraphs),
        subgraph_(subgraph),
        graph_(graph),
        sources_(sources),
        values_(subgraph.tensors.size()) {}

  void add_inputs() {
    for (const int index : subgraph_.inputs) {
      const TfliteTensor& tensor = tensor_at(index);
      value_at(index) = graph_.add_input(tensor.name, tensor.type);
      value_at(index)->dims.resize(tensor.type.shape.size());
    }
  }

  // TFLite runs with an extent of 1 where the signature leaves it open and nobody resizes the
  // input. Gives the names of such inputs.
  std::vector<std::string> close_open_extents() {
    std::vector<std::string> closed;
    for (Value* input : graph_.inputs()) {
      Shape& shape = input->type.tensor.shape;
      if (std::ranges::find(shape, kUnknown) == shape.end()) continue;
      std::ranges::replace(shape, kUnknown, int64_t{1});
      closed.push_back(input->name);
    }
    return closed;
  }

  void take_arguments(const std::vector<Value*>& arguments) {
    for (size_t i = 0; i < arguments.size(); ++i) value_at(subgraph_.inputs[i]) = arguments[i];
  }

  Status add_constants() {
    uint64_t held = 0;
    for (size_t i = 0; i < values_.size(); ++i) {
      const TfliteTensor& tensor = subgraph_.tensors[i];
      if (values_[i] != nullptr) continue;
      if (tensor.constant) values_[i] = graph_.add_constant(tensor.name, *tensor.constant);
      if (!tensor.variable) continue;
      HONE_TRY(Tensor state, initial_state(tensor.name, tensor.type, held));
      values_[i] = graph_.add_constant(tensor.name, std::move(state));
    }
    return Done{};
  }

  Status add_ops() {
    for (size_t i = 0; i < subgraph_.ops.size(); ++i) {
      const TfliteOp& op = subgraph_.ops[i];
      const std::string label = label_of(subgraph_, op);
      const auto source = static_cast<int>(graph_.sources.size());
      if (sources_ == Sources::Recorded) {
        graph_.sources.push_back({label, op.name, static_cast<int>(i)});
      }
      const size_t before = graph_.node_count();
      HONE_RETURN_IF_ERROR(
          add_op(op, label).in(str("operator ", i, " '", label, "' (", op.name, ")")));
      const std::vector<Node*> made = graph_.last_nodes(graph_.node_count() - before);
      for (Node* node : made) {
        if (sources_ == Sources::Recorded) graph_.set_origins(node, {source});
        if (node->name.empty()) node->name = label;
      }
      if (made.empty() && sources_ == Sources::Recorded)
        graph_.vanished.push_back({source, "import"});
    }
    return Done{};
  }

  Result<std::vector<Value*>> outputs() {
    std::vector<Value*> values;
    for (const int index : subgraph_.outputs) {
      if (value_at(index) == nullptr) {
        return bad_input("graph output '", tensor_at(index).name, "' is not made by any operator");
      }
      values.push_back(value_at(index));
    }
    return values;
  }

 private:
  const TfliteTensor& tensor_at(int index) const {
    return subgraph_.tensors[static_cast<size_t>(index)];
  }
  Value*& value_at(int index) { return values_[static_cast<size_t>(index)]; }

  Status add_op(const TfliteOp& op, const std::string& label) {
    for (const int index : op.inputs) {
      if (index < 0 || value_at(index) != nullptr) continue;
      if (tensor_at(index).type.dtype == DType::Undefined) {
        add_opaque(index);
      } else {
        return bad_input("reads '", tensor_at(index).name, "' before any operator has made it");
      }
    }
    for (const int index : op.outputs) {
      if (index < 0) return bad_input("an output is left out");
      if (value_at(index) != nullptr) {
        return bad_input("makes '", tensor_at(index).name, "', which is there already");
      }
    }
    const TfliteRule* rule = find_tflite_op(op.name);
    TfliteImport in(graph_, subgraph_, op, values_, &subgraphs_);
    const size_t nodes_before = graph_.node_count();
    Status status =
        rule == nullptr ? Status(unsupported("no such operator in Hone")) : rule->import(in);
    if (!status.ok()) {
      if (status.error().kind != ErrorKind::Unsupported) return status;
      HONE_CHECK(graph_.node_count() == nodes_before, "the rule for ", op.name,
                 " adds nodes and then refuses");
      add_custom(op, label, status.error().message);
    }
    for (const int index : op.outputs) {
      Value* made = value_at(index);
      if (made == nullptr) return bad_input("has outputs that ", op.name, " does not make");
      if (made->producer != nullptr) graph_.rename(made, tensor_at(index).name);
    }
    return Done{};
  }

  // A constant whose elements no type of Hone stands for.
  void add_opaque(int index) {
    const TfliteTensor& tensor = tensor_at(index);
    Node* node = graph_.add_node("custom", {}, {tensor.type},
                                 {{"domain", std::string("tflite")},
                                  {"op_type", std::string("constant")},
                                  {"reason", std::string("elements of a type that Hone has not")}},
                                 tensor.name);
    value_at(index) = node->outputs[0];
  }

  void add_custom(const TfliteOp& op, const std::string& label, const std::string& reason) {
    std::vector<Value*> inputs;
    for (const int index : op.inputs) inputs.push_back(index < 0 ? nullptr : value_at(index));
    std::vector<ValueType> types;
    for (const int index : op.outputs) types.push_back(tensor_at(index).type);
    if (types.empty()) types.emplace_back();
    Node* node = graph_.add_node(
        "custom", std::move(inputs), std::move(types),
        {{"domain", std::string("tflite")}, {"op_type", op.name}, {"reason", reason}}, label);
    for (size_t i = 0; i < op.outputs.size(); ++i) value_at(op.outputs[i]) = node->outputs[i];
  }

  TfliteSubgraphs& subgraphs_;
  const TfliteSubgraph& subgraph_;
  Graph& graph_;
  Sources sources_;
  std::vector<Value*> values_;
};

class Subgraphs final : public TfliteSubgraphs {
 public:
  Subgraphs(const TfliteModel& file, Graph& main) : file_(file), main_(main) {}

  const TfliteSubgraph* find(int64_t index) const override {
    const bool there = index >= 0 && index < static_cast<int64_t>(file_.subgraphs.size());
    return there ? &file_.subgraphs[static_cast<size_t>(index)] : nullptr;
  }

  Result<std::vector<Value*>> call(int64_t index, const std::vector<Value*>& arguments,
                                   Graph& graph, Sources sources) override {
    const TfliteSubgraph* subgraph = find(index);
    if (subgraph == nullptr) return bad_input("subgraph ", index, " does not exist");
    if (arguments.size() != subgraph->inputs.size()) {
      return bad_input("subgraph ", index, " takes ", subgraph->inputs.size(), " values, but gets ",
                       arguments.size());
    }
    if (std::ranges::find(calling_, index) != calling_.end()) {
      return bad_input("subgraph ", index, " calls itself");
    }
    if (calling_.size() > kTfliteImportDeepestCall) {
      return bad_input("subgraphs call each other more than ", kTfliteImportDeepestCall, " deep");
    }
    ops_ += subgraph->ops.size() + subgraph->tensors.size();
    if (ops_ > kMostOps) {
      return bad_input("the model grows past ", kMostOps,
                       " operators and tensors when its subgraphs call each other");
    }
    calling_.push_back(index);
    TfliteImportBuilder builder(*this, *subgraph, graph, sources);
    builder.take_arguments(arguments);
    Status added = builder.add_constants();
    if (added.ok()) added = builder.add_ops();
    calling_.pop_back();
    HONE_RETURN_IF_ERROR(std::move(added).in(str("subgraph ", index)));
    return builder.outputs();
  }

  Status call_once(int64_t index, Graph& graph) override {
    if (!called_once_.insert(index).second) return Done{};
    HONE_RETURN_IF_ERROR(call(index, {}, graph, Sources::Left));
    return Done{};
  }

  Result<Value*> variable(const std::string& name, const TensorType& type, Graph& graph) override {
    HONE_RETURN_IF_ERROR(require_main(name, graph));
    Value*& value = variables_[name];
    if (value == nullptr) {
      HONE_TRY(Tensor state, initial_state(name, type, variable_bytes_));
      value = graph.add_constant(name, std::move(state));
    }
    return value;
  }

  Status assign(const std::string& name, Value* value, const Graph& graph) override {
    HONE_RETURN_IF_ERROR(require_main(name, graph));
    variables_[name] = value;
    return Done{};
  }

 private:
  Status require_main(const std::string& name, const Graph& graph) const {
    if (&graph == &main_) return Done{};
    return unsupported("variable '", name, "' inside the body of an IF or WHILE");
  }

  const TfliteModel& file_;
  const Graph& main_;
  std::vector<int64_t> calling_{0};
  size_t ops_ = 0;
  std::set<int64_t> called_once_;
  std::map<std::string, Value*> variables_;
  uint64_t variable_bytes_ = 0;
};

Status build(TfliteImportBuilder& builder, Model& model) {
  HONE_RETURN_IF_ERROR(builder.add_constants());
  HONE_RETURN_IF_ERROR(builder.add_ops());
  HONE_TRY(const std::vector<Value*> outputs, builder.outputs());
  for (Value* output : outputs) model.graph.add_output(output);
  HONE_TRY(InferredTypes inferred, infer_types(model.graph));
  model.unsupported = std::move(inferred.unsupported);
  return verify(model.graph);
}

}  // namespace

Result<Model> import_tflite(const TfliteModel& file, const LoadOptions& options) {
  if (file.subgraphs.empty()) return bad_input("has no subgraph");
  Model model;
  model.format = "tflite";
  model.producer = file.description;
  model.version = str("schema ", file.version);
  model.graph.name = file.subgraphs[0].name;
  Subgraphs subgraphs(file, model.graph);
  TfliteImportBuilder builder(subgraphs, file.subgraphs[0], model.graph, Sources::Recorded);
  builder.add_inputs();
  HONE_RETURN_IF_ERROR(bind_shapes(model.graph, options));
  const std::string example = example_shapes(model.graph);
  model.assumed_inputs = builder.close_open_extents();
  const Status built = build(builder, model);
  if (built.ok()) return model;
  if (model.assumed_inputs.empty()) return built.error();
  const std::string& input = model.assumed_inputs[0];
  Error error = built.error();
  error.message += str("; input '", input, "' leaves extents open, taken as ",
                       text_of(model.graph.find_value(input)->type.tensor.shape));
  return std::move(error).needs({HintKind::Extents, example});
}

}  // namespace hone
