#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

void check_slow_first_run(const Evidence& in, std::vector<Finding>& out) {
  const Metric* first = find_metric(in.profile.phases, "first_run");
  if (first == nullptr || !first->value) return;
  const double extra = *first->value - median_ms(in.profile);
  if (extra < median_ms(in.profile) || extra < 1) return;
  Finding finding;
  finding.title = str("the first run takes ", fixed(*first->value, 1), " ms, ",
                      fixed(*first->value / median_ms(in.profile), 1), " times a steady one");
  finding.evidence = {*first};
  if (const Metric* faults = find_metric(in.profile.system, "minor_faults")) {
    finding.evidence.push_back(*faults);
  }
  finding.fix = "run once on any input before the first one that counts";
  finding.gain = unavailable("gain", "ms", "steady runs do not change");
  finding.confidence = "high";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_slow_first_run = {
    .id = "slow_first_run",
    .summary = "The first run takes much longer than the later ones.",
    .bound = Bound::FirstRun,
    .on = RuleFor::Measured,
    .check = check_slow_first_run,
};

}  // namespace hone
