// Takes away nodes whose outputs nobody reads, and constants that no node reads.

#include <algorithm>

#include "hone/passes/pass_def.h"

namespace hone {
namespace {

bool dead(const Graph& graph, const Node& node) {
  return std::ranges::all_of(node.outputs, [&](const Value* output) {
    return output->users.empty() && !graph.is_output(output);
  });
}

int run_remove_dead(Graph& graph) {
  int removed = 0;
  const std::vector<Node*> nodes = graph.nodes();
  // Last first, so that one walk takes whole chains.
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    if (!dead(graph, **node)) continue;
    graph.erase(*node, "remove_dead");
    ++removed;
  }
  return removed + graph.remove_unused_constants();
}

}  // namespace

extern const PassDef pass_remove_dead = {
    .name = "remove_dead",
    .summary = "Takes away what nobody reads.",
    .run = run_remove_dead,
};

}  // namespace hone
