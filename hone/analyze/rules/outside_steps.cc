#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

void check_outside_steps(const Evidence& in, std::vector<Finding>& out) {
  const Metric* outside = find_metric(in.profile.overhead, "outside_steps");
  if (outside == nullptr || !outside->value || *outside->value < 2) return;
  const double us = *outside->value * 0.01 * in.run_us();
  Finding finding;
  finding.title = str(fixed(*outside->value, 1), " % of a run lies outside its steps");
  finding.evidence = {*outside};
  finding.fix = "give inputs in the type and layout of the model; run larger batches";
  finding.gain = predicted_gain(us, 1.5);
  finding.formula = "the part of the run that no step accounts for";
  finding.confidence = "low";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_outside_steps = {
    .id = "outside_steps",
    .summary = "Time of a run that is not in its steps: binding, copying, calling.",
    .bound = Bound::Launch,
    .on = RuleFor::Measured,
    .check = check_outside_steps,
};

}  // namespace hone
