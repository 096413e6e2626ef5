// Joins operators that only give elements another shape, and takes away those that do not even
// that.
//
//   %a: f32[1,1,1,8] = transpose as reshape(%x, ...)
//   %b: f32[1,8] = flatten(%a)                          =>   %b: f32[1,8] = reshape(%x, i64[2]{1
//   8})
//
// reshape, flatten, squeeze and unsqueeze whose shapes are known. A first one with other readers
// stays for them.

#include "hone/passes/match.h"
#include "hone/passes/pass_def.h"

namespace hone {
namespace {

constexpr std::string_view kMergeReshapesPass = "merge_reshapes";

bool only_shapes(const Node* node) {
  if (node == nullptr || node->outputs.size() != 1) return false;
  bool one_of_them = false;
  for (const std::string_view op : {"reshape", "flatten", "squeeze", "unsqueeze"}) {
    one_of_them = one_of_them || node->op == op;
  }
  if (!one_of_them) return false;
  const TensorType& from = node->inputs[0]->type.tensor;
  const TensorType& to = node->outputs[0]->type.tensor;
  // Quantized per channel, the axis has a meaning.
  return from.known() && to.known() && !(to.quantized() && !to.quant->per_tensor());
}

bool merge_reshape(Graph& graph, Node& second) {
  Node* first = second.inputs[0]->producer;
  if (!only_shapes(first)) return false;
  const Shape& extents = second.outputs[0]->type.tensor.shape;
  Value* shape = graph.add_constant(second.outputs[0]->name + ".shape", Tensor::of_ints(extents));
  graph.set_input(&second, 0, first->inputs[0]);
  if (second.inputs.size() < 2) graph.add_input_to(&second, nullptr);
  graph.set_input(&second, 1, shape);
  second.op = "reshape";
  second.attrs = reshape_attrs(extents);
  graph.inherit_origins(&second, *first);
  erase_if_unread(graph, first, kMergeReshapesPass);
  return true;
}

bool remove_reshape(Graph& graph, Node& node) {
  Value* from = node.outputs[0];
  Value* to = node.inputs[0];
  if (!(from->type == to->type) || graph.is_output(from)) return false;
  graph.replace_uses(from, to);
  graph.erase(&node, kMergeReshapesPass);
  return true;
}

int run_merge_reshapes(Graph& graph) {
  int changes = 0;
  for (Node* node : graph.nodes()) {
    if (!only_shapes(node)) continue;
    if (merge_reshape(graph, *node)) ++changes;
    if (remove_reshape(graph, *node)) ++changes;
  }
  graph.remove_unused_constants();
  return changes;
}

}  // namespace

extern const PassDef pass_merge_reshapes = {
    .name = kMergeReshapesPass,
    .summary = "Joins operators that only give elements another shape.",
    .run = run_merge_reshapes,
};

}  // namespace hone
