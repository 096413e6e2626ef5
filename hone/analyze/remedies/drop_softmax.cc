// The largest element stays the largest through a softmax:
//
//   %p = softmax(%x)
//   %y = arg_max(%p)     =>   %y = arg_max(%x)

#include <algorithm>

#include "hone/analyze/remedy_def.h"
#include "hone/passes/match.h"

namespace hone {
namespace {

constexpr std::string_view kDropSoftmaxRemedy = "drop_softmax";

bool only_searched(const Graph& graph, const Value& value) {
  return !graph.is_output(&value) && !value.users.empty() &&
         std::ranges::all_of(value.users, [](const Use& use) { return use.node->op == "arg_max"; });
}

Result<bool> apply_drop_softmax(const Prescription& model, const Finding*, std::string&) {
  bool changed = false;
  for (Node* node : model.graph->nodes()) {
    if (node->op != "softmax" && node->op != "log_softmax") continue;
    if (!only_searched(*model.graph, *node->outputs[0])) continue;
    const std::vector<Use> users = node->outputs[0]->users;
    for (const Use& use : users) model.graph->inherit_origins(use.node, *node);
    model.graph->replace_uses(node->outputs[0], node->inputs[0]);
    model.graph->erase(node, kDropSoftmaxRemedy);
    changed = true;
  }
  return changed;
}

}  // namespace

extern const RemedyDef remedy_drop_softmax = {
    .id = kDropSoftmaxRemedy,
    .summary = "Leaves out a softmax whose result is only searched for its largest.",
    .rules = {"softmax_before_argmax"},
    .apply = apply_drop_softmax,
};

}  // namespace hone
