#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

void check_unsteady(const Evidence& in, std::vector<Finding>& out) {
  if (in.profile.unstable.empty()) return;
  Finding finding;
  finding.title = str("the measurement is unsteady: ", in.profile.unstable[0]);
  if (const Metric* cov = find_metric(in.profile.latency, "cov")) finding.evidence = {*cov};
  finding.fix = "measure again on a quiet machine with a fixed clock, or for longer";
  finding.gain = unavailable("gain", "ms", "nothing to gain in the model");
  finding.confidence = "high";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_unsteady = {
    .id = "unsteady",
    .summary = "The measurement itself is not to be trusted.",
    .bound = Bound::Measurement,
    .on = RuleFor::Measured,
    .check = check_unsteady,
};

}  // namespace hone
