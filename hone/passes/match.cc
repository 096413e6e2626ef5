#include "hone/passes/match.h"

#include <algorithm>
#include <cmath>

#include "hone/ops/infer_types.h"

namespace hone {

bool read_once(const Graph& graph, const Value& value) {
  return value.users.size() == 1 && !graph.is_output(&value);
}

Node* made_by(const Value* value, std::string_view op) {
  const bool made = value != nullptr && value->producer != nullptr && value->producer->op == op;
  return made ? value->producer : nullptr;
}

Node* made_for(const Graph& graph, const Value* value, std::string_view op) {
  Node* node = made_by(value, op);
  return node != nullptr && node->outputs.size() == 1 && read_once(graph, *value) ? node : nullptr;
}

bool activated(const Node& node) {
  const std::string* activation = node.find_attr<std::string>("activation");
  return activation != nullptr && !activation->empty();
}

Value* input_of(const Node& node, size_t input) {
  return input < node.inputs.size() ? node.inputs[input] : nullptr;
}

const Tensor* constant_of(const Node& node, size_t input) {
  const Value* value = input_of(node, input);
  return value != nullptr && value->constant ? &*value->constant : nullptr;
}

std::optional<double> number_of(const Value* value) {
  if (value == nullptr || !value->constant || value->constant->elements() != 1) return {};
  if (!kNumeric.contains(value->constant->dtype()) || value->type.tensor.quantized()) return {};
  return to_doubles(*value->constant)[0];
}

bool is_number(const Value* value, double number, double tolerance) {
  const std::optional<double> found = number_of(value);
  return found && std::abs(*found - number) <= tolerance * std::max(1.0, std::abs(number));
}

bool same_shape(const Value& a, const Value& b) {
  const TensorType& x = a.type.tensor;
  const TensorType& y = b.type.tensor;
  return a.type.is_tensor() && b.type.is_tensor() && x.ranked && y.ranked && x.shape == y.shape;
}

bool makes_floats(const Node& node) {
  const ValueType& type = node.outputs[0]->type;
  return type.is_tensor() && kFloat.contains(type.tensor.dtype) && type.tensor.ranked;
}

Node* add_inferred(Graph& graph, std::string_view op, std::vector<Value*> inputs, Attrs attrs,
                   std::string_view name, Node* before, size_t outputs) {
  const OpDef* def = find_op(op);
  HONE_CHECK(def != nullptr, "no operator ", op);
  Node* node = graph.add_node(op, std::move(inputs), std::vector<ValueType>(outputs),
                              std::move(attrs), name, before);
  auto types = def->infer(static_context(*def, *node));
  HONE_CHECK(types.ok(), "new node '", name, "' (", op, "): ", types.error().message);
  for (size_t i = 0; i < outputs; ++i) node->outputs[i]->type = std::move((*types)[i]);
  return node;
}

Attrs reshape_attrs(const Shape& shape) {
  if (std::ranges::find(shape, 0) == shape.end()) return {};
  return {{"allowzero", int64_t{1}}};
}

void set_constant(Graph& graph, Node& node, size_t input, std::string_view name, Tensor tensor) {
  while (node.inputs.size() <= input) graph.add_input_to(&node, nullptr);
  const Value* old = node.inputs[input];
  graph.set_input(&node, input, graph.add_constant(name, std::move(tensor)));
  if (old != nullptr && old->constant && old->users.empty()) graph.remove_unused_constants();
}

void take_place(Graph& graph, std::span<Node* const> old, Node* by, Value* from,
                std::string_view pass) {
  const std::string name = from->name;
  Node* const heirs[] = {by};
  const std::pair<Value*, Value*> uses[] = {{from, by->outputs[0]}};
  graph.replace(old, heirs, uses, pass);
  graph.rename(by->outputs[0], name);
}

Node* add_behind(Graph& graph, Node& node, size_t output, std::string_view op,
                 std::vector<Value*> more_inputs, Attrs attrs) {
  Value* before = node.outputs[output];
  more_inputs.insert(more_inputs.begin(), nullptr);
  Node* after = graph.add_node(op, std::move(more_inputs), {before->type}, std::move(attrs),
                               node.name, graph.next(node));
  graph.set_origins(after, node.origins);
  graph.replace_uses(before, after->outputs[0]);
  graph.set_input(after, 0, before);
  const std::string name = before->name;
  graph.rename(after->outputs[0], name);
  return after;
}

bool erase_if_unread(Graph& graph, Node* node, std::string_view pass) {
  const bool unread = std::ranges::all_of(node->outputs, [&](const Value* output) {
    return output->users.empty() && !graph.is_output(output);
  });
  if (unread) graph.erase(node, pass);
  return unread;
}

void erase_behind(Graph& graph, Node* after, std::string_view pass) {
  Value* before = after->inputs[0];
  const bool took = before->producer != nullptr && before->producer->name == after->name;
  const std::string name = after->outputs[0]->name;
  if (!erase_if_unread(graph, after, pass)) return;
  if (took && !graph.is_output(before)) graph.rename(before, name);
}

}  // namespace hone
