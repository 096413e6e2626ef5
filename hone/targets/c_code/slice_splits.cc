#include "hone/ops/op_def.h"
#include "hone/targets/c_code/plan.h"

namespace hone::c_code {
namespace {

// One slice for every part.
void slice_split(Graph& graph, Node* split, size_t axis) {
  std::vector<Node*> slices;
  std::vector<std::pair<Value*, Value*>> parts;
  int64_t start = 0;
  for (Value* part : split->outputs) {
    const int64_t end = start + part->type.tensor.shape[axis];
    const auto number = [&](int64_t value) {
      return graph.add_constant("place", Tensor::of_ints(Ints{value}));
    };
    slices.push_back(graph.add_node(
        "slice", {split->inputs[0], number(start), number(end), number(static_cast<int64_t>(axis))},
        {part->type}, {}, part->name, split));
    parts.emplace_back(part, slices.back()->outputs[0]);
    start = end;
  }
  graph.replace(std::span(&split, 1), slices, parts, "slices");
}

}  // namespace

void slice_splits(Graph& graph) {
  for (Node* node : graph.nodes()) {
    if (node->op != "split" || !node->inputs[0]->type.tensor.known()) continue;
    const NodeContext context(*find_op(node->op), *node);
    const auto axis = resolve_axis(context.integer("axis"), node->inputs[0]->type.tensor.rank());
    if (axis.ok()) slice_split(graph, node, *axis);
  }
}

}  // namespace hone::c_code
