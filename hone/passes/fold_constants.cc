// Replaces values that follow from constants and static shapes by constants.
//
//   %s = shape(%x: f32[1,3,8,8])
//   %n = gather(%s, 0)                =>   %y = reshape(%x, i64[2]{1 -1})
//   %r = concat(%n, -1)
//   %y = reshape(%x, %r)
//
// Small values only, as infer_types finds them; a weight that a large computation produces stays as
// it is. The folded nodes are left for remove_dead.

#include "hone/ops/infer_types.h"
#include "hone/passes/pass_def.h"

namespace hone {
namespace {

int run(Graph& graph) {
  auto inferred = infer_types(graph);
  if (!inferred.ok()) return 0;  // What contradicts itself is left alone.
  int folded = 0;
  for (Node* node : graph.nodes()) {
    for (Value* output : node->outputs) {
      const auto known = inferred->known.find(output);
      const bool read = !output->users.empty() || graph.is_output(output);
      if (known == inferred->known.end() || !read) continue;
      // The interface of the graph stays: an output must be made by a node.
      if (graph.is_output(output)) continue;
      graph.replace_uses(output, graph.add_constant(output->name + ".folded", known->second));
      ++folded;
    }
  }
  return folded;
}

}  // namespace

extern const PassDef pass_fold_constants = {
    .name = "fold_constants",
    .summary = "Computes ahead what follows from constants and static shapes.",
    .run = run,
};

}  // namespace hone
