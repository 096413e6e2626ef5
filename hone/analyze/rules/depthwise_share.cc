#include <algorithm>

#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

// What depthwise kernels reach of the roof where they are good: 3x3, stride 1, channels by the
// vector.
constexpr double kDepthwiseShareUsual = 0.6;

void check_depthwise_share(const Evidence& in, std::vector<Finding>& out) {
  const std::vector<size_t> steps = steps_where(in, [&](size_t s) {
    const StepKind& kind = in.step(s).kind;
    return kind.family == StepFamily::Depthwise && !runs_plain_kernel(kind);
  });
  int64_t macs = 0;
  int64_t all_macs = 0;
  double reachable = 0;
  for (const StepProfile& step : in.profile.steps) all_macs += step.macs;
  for (const size_t s : steps) {
    macs += in.step(s).macs;
    reachable +=
        std::min(in.step(s).us, in.step(s).roof_us.value_or(in.step(s).us) / kDepthwiseShareUsual);
  }
  const double us = sum_us(in, steps);
  const double part =
      static_cast<double>(macs) / static_cast<double>(std::max<int64_t>(all_macs, 1));
  if (steps.empty() || us < 2 * part * in.run_us()) return;
  Finding finding;
  finding.title =
      str(count_of(steps.size(), "depthwise convolution"), " take ", share_of_run(in, us),
          " of the run for ", fixed(100 * part, 1), " % of its multiplications");
  finding.evidence = {time_evidence("time", us), time_evidence("reachable", reachable),
                      count_evidence("macs", static_cast<double>(macs))};
  finding.steps = steps;
  finding.fix =
      "they cannot use matrix instructions: 3x3 instead of 5x5, or ordinary convolutions where "
      "channels are few, cost less than their multiplications suggest";
  finding.gain = predicted_gain(us - reachable, 1.5);
  finding.formula = str(fixed(us, 1), " us now, less ", fixed(reachable, 1), " us at ",
                        fixed(100 * kDepthwiseShareUsual, 0), " % of the roof");
  finding.confidence = "low";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_depthwise_share = {
    .id = "depthwise_share",
    .summary = "Depthwise convolutions that take far more of the time than of the multiplications.",
    .bound = Bound::Memory,
    .on = RuleFor::Measured,
    .check = check_depthwise_share,
};

}  // namespace hone
