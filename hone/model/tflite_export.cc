#include "hone/model/tflite_export.h"

#include <algorithm>

#include "hone/base/file.h"
#include "hone/base/version.h"
#include "hone/model/example_shapes.h"
#include "hone/model/save_tflite.h"
#include "hone/model/tflite_check.h"
#include "hone/model/tflite_lower.h"
#include "hone/model/tflite_version.h"
#include "hone/wire/tflite_write.h"

namespace hone {

#define HONE_TFLITE_RULES(name) extern const std::vector<TfliteExportRule> tflite_##name##_rules;
#include "hone/model/tflite_rules/rules.inc"
#undef HONE_TFLITE_RULES

namespace {

using RuleMap = std::unordered_map<std::string_view, const TfliteExportRule*>;

RuleMap rules_by_op() {
  const std::vector<TfliteExportRule>* const kLists[] = {
#define HONE_TFLITE_RULES(name) &tflite_##name##_rules,
#include "hone/model/tflite_rules/rules.inc"
#undef HONE_TFLITE_RULES
  };
  RuleMap rules;
  for (const auto* list : kLists) {
    for (const TfliteExportRule& rule : *list) {
      const bool fresh = rules.emplace(rule.op, &rule).second;
      HONE_CHECK(fresh, "two rules write ", rule.op);
    }
  }
  return rules;
}

std::string layer_of(const Graph& graph, const Node& node) {
  if (!node.name.empty()) return node.name;
  if (!node.origins.empty()) return graph.sources[static_cast<size_t>(node.origins[0])].name;
  return node.outputs[0]->name;
}

Status check_input(const Graph& graph, const Value& input) {
  if (!input.type.is_tensor()) return unsupported("input '", input.name, "' is no tensor");
  if (input.type.tensor.known()) return Done{};
  return unsupported("input '", input.name, "' of ", input.type.tensor,
                     " leaves extents open, and a .tflite file has them fixed")
      .needs({HintKind::Extents, example_shapes(graph)});
}

Status check_known(const Node& node) {
  for (const Value* output : node.outputs) {
    if (output->type.is_tensor() && output->type.tensor.known()) continue;
    return unsupported("its shape is only known in a run, and a .tflite file has shapes fixed");
  }
  return Done{};
}

// TFLite stores floats of other widths and converts them; it computes with none.
Status check_computed(const Node& node) {
  if (node.op == "cast") return Done{};
  for (const Value* output : node.outputs) {
    const DType dtype = output->type.tensor.dtype;
    if (!kFloat.contains(dtype) || dtype == DType::F32) continue;
    return unsupported("it computes ", dtype, ", and TFLite's floats are f32");
  }
  return Done{};
}

Status write_node(TfliteExport& out, const Node& node) {
  HONE_RETURN_IF_ERROR(check_known(node));
  HONE_RETURN_IF_ERROR(check_computed(node));
  if (node.op == "custom") {
    return unsupported("operator ", export_attr<std::string>(node, "op_type"),
                       " is none of Hone's");
  }
  const TfliteExportRule* rule = find_tflite_export(node.op);
  if (rule == nullptr) return unsupported("TFLite has no word for operator ", node.op);
  return rule->write(out, node);
}

}  // namespace

const TfliteExportRule* find_tflite_export(std::string_view op) {
  static const RuleMap kRules = rules_by_op();
  const auto found = kRules.find(op);
  return found == kRules.end() ? nullptr : found->second;
}

int TfliteExport::tensor(const Value* value) {
  if (value == nullptr) return -1;
  const auto [found, fresh] = tensors_.try_emplace(value, 0);
  if (!fresh) return found->second;
  found->second = static_cast<int>(subgraph_.tensors.size());
  subgraph_.tensors.push_back({value->name, value->type.tensor, value->constant, false});
  return found->second;
}

int TfliteExport::constant(std::string_view name, Tensor tensor) {
  TensorType type = tensor.type();
  subgraph_.tensors.push_back({std::string(name), std::move(type), std::move(tensor), false});
  return static_cast<int>(subgraph_.tensors.size()) - 1;
}

int TfliteExport::ints(std::string_view name, const Ints& values) {
  const std::vector<int32_t> narrow(values.begin(), values.end());
  return constant(name, Tensor::of<int32_t>({std::ssize(narrow)}, narrow));
}

int TfliteExport::temporary(std::string_view name, TensorType type) {
  subgraph_.tensors.push_back({std::string(name), std::move(type), std::nullopt, false});
  return static_cast<int>(subgraph_.tensors.size()) - 1;
}

void TfliteExport::add(std::string_view op, std::vector<int> inputs, std::vector<int> outputs,
                       Options options) {
  TfliteOp made;
  made.name = op;
  made.inputs = std::move(inputs);
  made.outputs = std::move(outputs);
  made.options = std::move(options);
  made.version = tflite_version(made, subgraph_);
  subgraph_.ops.push_back(std::move(made));
}

void TfliteExport::add_as(std::string_view op, const Node& node, Options options) {
  std::vector<int> inputs;
  std::vector<int> outputs;
  for (const Value* value : node.inputs) inputs.push_back(tensor(value));
  for (const Value* value : node.outputs) outputs.push_back(tensor(value));
  add(op, std::move(inputs), std::move(outputs), std::move(options));
}

const Value* export_input(const Node& node, size_t input) {
  return input < node.inputs.size() ? node.inputs[input] : nullptr;
}

Result<Tensor> export_constant(const Node& node, size_t input, std::string_view what) {
  const Value* value = export_input(node, input);
  if (value != nullptr && value->constant) return *value->constant;
  return unsupported(what, " is computed, and TFLite takes a constant");
}

Result<Ints> export_ints(const Node& node, size_t input, std::string_view what) {
  HONE_TRY(const Tensor tensor, export_constant(node, input, what));
  return to_ints(tensor);
}

Result<Ints> export_ints_or(const Node& node, size_t input, std::string_view what, Ints otherwise) {
  if (export_input(node, input) == nullptr) return otherwise;
  return export_ints(node, input, what);
}

Result<std::string> tflite_activation(const Node& node) {
  const std::string* name = node.find_attr<std::string>("activation");
  if (name == nullptr || name->empty()) return std::string("NONE");
  if (*name == "relu") return std::string("RELU");
  if (*name == "relu6") return std::string("RELU6");
  if (*name == "relu_n1_to_1") return std::string("RELU_N1_TO_1");
  if (*name == "tanh") return std::string("TANH");
  return unsupported("TFLite fuses no ", *name);
}

Result<TfliteModel> export_tflite(const Graph& graph) {
  for (const Value* input : graph.inputs()) HONE_RETURN_IF_ERROR(check_input(graph, *input));
  const std::unique_ptr<Graph> lowered = graph.clone();
  HONE_RETURN_IF_ERROR(lower_to_tflite(*lowered));
  TfliteModel model;
  model.version = 3;
  model.description = str("hone ", version());
  model.metadata["hone.version"] = version();
  TfliteSubgraph& main = model.subgraphs.emplace_back();
  main.name = graph.name.empty() ? "main" : graph.name;
  TfliteExport out(*lowered, main);
  for (const Value* input : lowered->inputs()) main.inputs.push_back(out.tensor(input));
  for (const Node* node : lowered->nodes()) {
    HONE_RETURN_IF_ERROR(
        write_node(out, *node).in(str("layer '", layer_of(*lowered, *node), "' (", node->op, ")")));
  }
  for (const Value* output : lowered->outputs()) main.outputs.push_back(out.tensor(output));
  return model;
}

Result<size_t> save_tflite(const Graph& graph, const std::filesystem::path& path) {
  HONE_TRY(const TfliteModel model, export_tflite(graph));
  HONE_TRY(const std::string bytes, write_tflite_bytes(model));
  HONE_RETURN_IF_ERROR(check_tflite(graph, bytes).in(str(path.string(), ": not written")));
  HONE_RETURN_IF_ERROR(write_file(path, bytes));
  return model.subgraphs[0].ops.size();
}

}  // namespace hone
