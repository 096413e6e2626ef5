#include "hone/ops/tflite_import.h"

#include <algorithm>

#include "hone/ops/infer_types.h"
#include "hone/ops/interpreter.h"

namespace hone {
namespace {

// More operators, or larger tensors, are no shape arithmetic.
constexpr int kMostOperators = 100;
constexpr int64_t kMostElements = 4096;

bool has_body(const Node& node) {
  return std::ranges::any_of(node.attrs, [](const auto& attr) {
    return std::holds_alternative<std::shared_ptr<Graph>>(attr.second);
  });
}

bool is_shape_like(const TensorType& type) {
  return type.known() && type.elements() <= kMostElements;
}

// The outputs of a node for these inputs, null where left out; none when they are large.
std::vector<Item> run_small(const OpDef& op, const Node& node,
                            const std::vector<const Item*>& inputs) {
  std::vector<ValueType> types;
  types.reserve(inputs.size());
  std::vector<const ValueType*> given;
  std::vector<const Tensor*> values;
  for (const Item* item : inputs) {
    types.emplace_back(item == nullptr ? TensorType() : item->tensor.type());
    given.push_back(item == nullptr ? nullptr : &types.back());
    values.push_back(item == nullptr ? nullptr : &item->tensor);
  }
  if (!check_node(op, node, given).ok()) return {};
  const auto inferred = op.infer(InferContext(op, node, given, values));
  if (!inferred.ok()) return {};
  for (const ValueType& type : *inferred) {
    if (!is_shape_like(type.tensor)) return {};
  }
  auto outputs = run_node(node, inputs, {});
  return outputs.ok() ? *std::move(outputs) : std::vector<Item>();
}

// What the value holds in every run, where constants and static shapes tell it.
std::optional<Tensor> known_value(const Value* value, int& budget) {
  if (value->constant) return *value->constant;
  const Node* node = value->producer;
  if (node == nullptr || --budget < 0) return std::nullopt;
  const OpDef* op = find_op(node->op);
  if (op == nullptr || op->eval == nullptr || op->random || has_body(*node)) return std::nullopt;
  if (op->fold != nullptr) return op->fold(static_context(*op, *node));
  std::vector<Item> items(node->inputs.size());
  std::vector<const Item*> inputs(node->inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (node->inputs[i] == nullptr) continue;
    std::optional<Tensor> input = known_value(node->inputs[i], budget);
    if (!input || !is_shape_like(input->type())) return std::nullopt;
    items[i] = *std::move(input);
    inputs[i] = &items[i];
  }
  const std::vector<Item> outputs = run_small(*op, *node, inputs);
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (node->outputs[i] == value && outputs[i].is_tensor()) return outputs[i].tensor;
  }
  return std::nullopt;
}

Result<Ints> ints_of(const Tensor& tensor, size_t input) {
  if (!(kInteger | kBoolean | kSmallInteger).contains(tensor.dtype())) {
    return bad_input("input ", input, " is of type ", tensor.dtype(), ", expected integers");
  }
  return to_ints(tensor);
}

}  // namespace

Status TfliteImport::require(size_t inputs, size_t outputs) const {
  size_t present = 0;
  while (has(present)) ++present;
  if (present < inputs) {
    return bad_input("has ", present, " inputs, expected at least ", inputs);
  }
  if (op_.outputs.size() < outputs) {
    return bad_input("has ", op_.outputs.size(), " outputs, expected at least ", outputs);
  }
  return Done{};
}

const TensorType& TfliteImport::out_type(size_t i) const {
  return subgraph_.tensors[static_cast<size_t>(op_.outputs[i])].type;
}

const TensorType* TfliteImport::intermediate(size_t i) const {
  if (i >= op_.intermediates.size()) return nullptr;
  return &subgraph_.tensors[static_cast<size_t>(op_.intermediates[i])].type;
}

Result<Tensor> TfliteImport::constant(size_t i) const {
  if (!has(i)) return bad_input("input ", i, " is left out, but required");
  if (!in(i)->constant) return unsupported("input ", i, " is computed, expected a constant");
  return *in(i)->constant;
}

Result<Ints> TfliteImport::constant_ints(size_t i) const {
  HONE_TRY(const Tensor tensor, constant(i));
  return ints_of(tensor, i);
}

Result<Ints> TfliteImport::known_ints(size_t i) const {
  if (!has(i)) return bad_input("input ", i, " is left out, but required");
  int budget = kMostOperators;
  const std::optional<Tensor> tensor = known_value(in(i), budget);
  if (!tensor) return unsupported("input ", i, " is computed of what only a run tells");
  return ints_of(*tensor, i);
}

Result<std::string> TfliteImport::activation() const {
  const auto name = option<std::string>("fused_activation_function", "NONE");
  if (name == "NONE") return std::string();
  if (name == "RELU") return std::string("relu");
  if (name == "RELU6") return std::string("relu6");
  if (name == "RELU_N1_TO_1") return std::string("relu_n1_to_1");
  if (name == "TANH") return std::string("tanh");
  return unsupported("fused activation ", name);
}

Value* TfliteImport::add_constant(Tensor tensor) {
  return graph_.add_constant(str(op_.name, ".const"), std::move(tensor));
}

Node* TfliteImport::add_node(std::string_view op_name, std::vector<Value*> from,
                             std::vector<ValueType> types, Attrs attrs) {
  return graph_.add_node(op_name, std::move(from), std::move(types), std::move(attrs));
}

Value* TfliteImport::add(std::string_view op_name, std::vector<Value*> from, TensorType type,
                         Attrs attrs) {
  return add_node(op_name, std::move(from), {std::move(type)}, std::move(attrs))->outputs[0];
}

void TfliteImport::set_output(size_t i, Value* value) {
  values_[static_cast<size_t>(op_.outputs[i])] = value;
}

void TfliteImport::finish(std::string_view op_name, std::vector<Value*> from, Attrs attrs) {
  set_output(0, add(op_name, std::move(from), out_type(0), std::move(attrs)));
}

Status import_plain(TfliteImport& in, std::string_view op_name) {
  HONE_RETURN_IF_ERROR(in.require(1, 1));
  std::vector<Value*> inputs;
  for (size_t i = 0; i < in.inputs(); ++i) inputs.push_back(in.in_or_null(i));
  in.finish(op_name, std::move(inputs));
  return Done{};
}

Status import_activated(TfliteImport& in, std::string_view op_name) {
  HONE_RETURN_IF_ERROR(in.require(1, 1));
  HONE_TRY(std::string activation, in.activation());
  std::vector<Value*> inputs;
  for (size_t i = 0; i < in.inputs(); ++i) inputs.push_back(in.in_or_null(i));
  in.finish(op_name, std::move(inputs), {{"activation", std::move(activation)}});
  return Done{};
}

}  // namespace hone
