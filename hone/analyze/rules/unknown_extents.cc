#include <algorithm>
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

bool inputs_known(const Evidence& in) {
  return in.graph != nullptr && std::ranges::all_of(in.graph->inputs(), [](const Value* input) {
           return !input->type.is_tensor() || input->type.tensor.known();
         });
}

void check_unknown_extents(const Evidence& in, std::vector<Finding>& out) {
  std::vector<size_t> steps;
  for (size_t s = 0; s < in.nodes.size(); ++s) {
    for (const Value* output : in.nodes[s]->outputs) {
      if (!output->type.is_tensor() || output->type.tensor.known()) continue;
      steps.push_back(s);
      break;
    }
  }
  if (steps.empty()) return;
  double us = 0;
  double planned = 0;
  for (const size_t s : steps) {
    us += in.step(s).us;
    planned += in.step(s).roof_us.value_or(0) * 3;
  }
  Finding finding;
  finding.title = str(count_of(steps.size(), "step"),
                      " have extents that are known only during a run: ", share_of_run(in, us));
  finding.evidence = {time_evidence("time", us)};
  finding.steps = steps;
  if (inputs_known(in)) {
    finding.fix =
        "they follow from values, not from the inputs' extents: export the model without the "
        "operators that make them";
  } else {
    finding.fix = "bind the inputs' extents, or export the model with fixed ones";
    finding.hint = {HintKind::Extents};
  }
  finding.gain = predicted_gain(us - std::min(us, planned), 2);
  finding.formula = str(fixed(us, 1), " us now, less three times the roof where it is known");
  finding.confidence = "low";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_unknown_extents = {
    .id = "unknown_extents",
    .summary = "Values whose extents are known only during a run, so that nothing is planned.",
    .bound = Bound::Fallback,
    .on = RuleFor::Measured,
    .check = check_unknown_extents,
};

}  // namespace hone
