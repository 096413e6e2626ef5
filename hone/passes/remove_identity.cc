// Takes away nodes that give their input unchanged.
//
//   %y = identity(%x)
//   %z = relu(%y)        =>   %z = relu(%x)
//
// Leaves one alone that connects a graph input or constant to a graph output, since an output must
// be made by a node, and one whose output has another type than its input.

#include "hone/passes/pass_def.h"

namespace hone {
namespace {

bool removable(const Graph& graph, const Node& node) {
  if (node.op != "identity") return false;
  const Value* from = node.inputs[0];
  const Value* to = node.outputs[0];
  if (graph.is_output(to)) return false;
  return from->type == to->type;
}

int run_remove_identity(Graph& graph) {
  int removed = 0;
  for (Node* node : graph.nodes()) {
    if (!removable(graph, *node)) continue;
    graph.replace_uses(node->outputs[0], node->inputs[0]);
    graph.erase(node, "remove_identity");
    ++removed;
  }
  return removed;
}

}  // namespace

extern const PassDef pass_remove_identity = {
    .name = "remove_identity",
    .summary = "Takes away nodes that give their input unchanged.",
    .run = run_remove_identity,
};

}  // namespace hone
