#include <algorithm>
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

void check(const Evidence& in, std::vector<Finding>& out) {
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
  Finding finding;
  finding.title = str("a softmax in front of an argmax takes ", share_of_run(in, us),
                      " of the run and changes no answer");
  finding.evidence = {time_evidence("time", us)};
  finding.steps = steps;
  finding.fix = "leave it out: the largest stays the largest";
  finding.gain = predicted_gain(us, 1.1);
  finding.formula = str("all of the ", fixed(us, 1), " us that it takes");
  finding.confidence = "high";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_softmax_before_argmax = {
    .id = "softmax_before_argmax",
    .summary = "A softmax whose result is only searched for its largest.",
    .bound = Bound::Compute,
    .check = check,
};

}  // namespace hone
