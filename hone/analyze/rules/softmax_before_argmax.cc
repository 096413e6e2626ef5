#include <algorithm>
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

void check_softmax_before_argmax(const Evidence& in, std::vector<Finding>& out) {
  std::vector<size_t> steps;
  for (size_t s = 0; s < in.nodes.size(); ++s) {
    const Node& node = *in.nodes[s];
    if (node.op != "softmax" && node.op != "log_softmax") continue;
    const Value* value = node.outputs[0];
    const bool searched =
        !value->users.empty() &&
        std::ranges::all_of(value->users, [](const Use& use) { return use.node->op == "arg_max"; });
    if (searched && !in.graph->is_output(value)) steps.push_back(s);
  }
  if (steps.empty()) return;
  const double us = sum_us(in, steps);
  out.push_back(removable(in, steps,
                          str("a softmax in front of an argmax takes ", share_of_run(in, us),
                              " of the run and changes no answer"),
                          "leave it out: the largest stays the largest"));
}

}  // namespace

extern const RuleDef rule_softmax_before_argmax = {
    .id = "softmax_before_argmax",
    .summary = "A softmax whose result is only searched for its largest.",
    .bound = Bound::Compute,
    .check = check_softmax_before_argmax,
};

}  // namespace hone
