// Moves reshapes that only split axes behind operators that work element by element or along the
// last axis, so that these come next to what they can be fused with.
//
//   %g: f32[8,6] = gemm(%a, w, b)                          %g: f32[8,6] = gemm(%a, w, b)
//   %r: f32[2,4,6] = reshape(%g, ...)                      %s: f32[8,6] = reshape(%x, ...)
//   %y: f32[2,4,6] = add(%r, %x: f32[2,4,6])          =>   %z: f32[8,6] = add(%g, %s)
//                                                          %y: f32[2,4,6] = reshape(%z, ...)
//
// Only reshapes to more axes move, so that each comes to an end; merge_reshapes joins them with the
// ones to fewer axes that they meet. Leaves an operator along the last axis alone when the reshape
// changes that axis, and operands that broadcast otherwise than along the last axis.

#include <algorithm>

#include "hone/passes/match.h"
#include "hone/passes/pass_def.h"

namespace hone {
namespace {

constexpr std::string_view kMoveReshapesPass = "move_reshapes";
bool works_along_last(const Node& node) {
  return node.op == "layer_norm" || node.op == "rms_norm";
}
bool joins_pairs(const Node& node) {
  return kind_of(node) == OpKind::Broadcast && node.inputs.size() == 2;
}

// The reshape to more axes that makes the value, or null.
const Node* expansion(const Value* value) {
  const Node* node = made_by(value, "reshape");
  if (node == nullptr) return nullptr;
  const TensorType& from = node->inputs[0]->type.tensor;
  const TensorType& to = node->outputs[0]->type.tensor;
  return from.known() && to.known() && !to.quantized() && from.rank() < to.rank() && from.rank() > 0
             ? node
             : nullptr;
}

bool keeps_last(const Node& reshape) {
  const Shape& from = reshape.inputs[0]->type.tensor.shape;
  return from.back() == reshape.outputs[0]->type.tensor.shape.back();
}

// An operand that means the same beside the value before the reshape and beside that after it.
bool along_last(const Value* operand, const Node& reshape) {
  if (operand == nullptr) return true;
  const TensorType& type = operand->type.tensor;
  if (!type.known() || type.rank() > 1) return false;
  return type.elements() == 1 || keeps_last(reshape);
}

// The input of `node` whose reshape may go behind it, or nothing.
std::optional<size_t> movable_input(const Node& node) {
  if (node.outputs.size() != 1) return {};
  if (kind_of(node) == OpKind::Function && expansion(node.inputs[0]) != nullptr) return 0;
  if (works_along_last(node)) {
    const Node* reshape = expansion(node.inputs[0]);
    if (reshape == nullptr || !keeps_last(*reshape)) return {};
    const int64_t axis = attr_of<int64_t>(node, "axis");
    if (axis != -1 && axis != node.outputs[0]->type.tensor.rank() - 1) return {};
    return along_last(node.inputs[1], *reshape) && along_last(input_of(node, 2), *reshape)
               ? std::optional<size_t>(0)
               : std::nullopt;
  }
  if (!joins_pairs(node)) return {};
  for (const size_t i : {size_t{0}, size_t{1}}) {
    const Node* reshape = expansion(node.inputs[i]);
    if (reshape == nullptr || !(node.outputs[0]->type == node.inputs[i]->type)) continue;
    const Value* other = node.inputs[1 - i];
    if (other->type == node.inputs[i]->type || along_last(other, *reshape)) return i;
  }
  return {};
}

// The value under the shape before the reshape; a constant is reshaped at once.
Value* reshaped(Graph& graph, Value* value, const Shape& shape, Node& reader) {
  if (value->constant) return graph.add_constant(value->name, value->constant->reshaped(shape));
  Value* extents = graph.add_constant(reader.name + ".shape", Tensor::of_ints(shape));
  Node* node =
      add_inferred(graph, "reshape", {value, extents}, reshape_attrs(shape), reader.name, &reader);
  graph.set_origins(node, reader.origins);
  return node->outputs[0];
}

void move_behind(Graph& graph, Node& node, size_t input) {
  Node* reshape = node.inputs[input]->producer;
  Value* x = reshape->inputs[0];
  const Shape shape = x->type.tensor.shape;
  Value* other = joins_pairs(node) ? node.inputs[1 - input] : nullptr;
  if (other != nullptr && other->type == node.inputs[input]->type) {
    graph.set_input(&node, 1 - input, reshaped(graph, other, shape, node));
  }
  graph.set_input(&node, input, x);
  if (works_along_last(node)) node.attrs["axis"] = int64_t{-1};
  Value* y = node.outputs[0];
  Value* extents = graph.add_constant(node.name + ".shape", Tensor::of_ints(y->type.tensor.shape));
  Attrs attrs = reshape_attrs(y->type.tensor.shape);
  graph.inherit_origins(add_behind(graph, node, 0, "reshape", {extents}, std::move(attrs)),
                        *reshape);
  y->type.tensor.shape = shape;
  erase_behind(graph, reshape, kMoveReshapesPass);
}

int run_move_reshapes(Graph& graph) {
  int moved = 0;
  // Behind each node the reshape stands before the nodes that are still to come.
  for (Node* node : graph.nodes()) {
    const auto input = movable_input(*node);
    if (!input) continue;
    move_behind(graph, *node, *input);
    ++moved;
  }
  graph.remove_unused_constants();
  return moved;
}

}  // namespace

extern const PassDef pass_move_reshapes = {
    .name = kMoveReshapesPass,
    .summary = "Moves reshapes behind other operators, out of the way of fusion.",
    .stage = PassStage::Engine,
    .run = run_move_reshapes,
};

}  // namespace hone
