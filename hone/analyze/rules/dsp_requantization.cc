#include <algorithm>

#include "hone/analyze/dsp_evidence.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

// Sums of 32 lanes are scaled by two multiplies of 32 by 16 bits, each of which takes both multipliers.
constexpr double kPacketsOfScaling = 2;
constexpr double kScalingLanes = 32;
constexpr double kScalingMuch = 0.2;

double scaling_part(const Evidence& in, size_t s) {
  const double results = static_cast<double>(in.step(s).written_bytes);
  return kPacketsOfScaling * results / kScalingLanes / packets_of(in, s);
}

void check_dsp_requantization(const Evidence& in, std::vector<Finding>& out) {
  const std::vector<size_t> steps = steps_where(in, [&](size_t s) {
    return in.step(s).macs > 0 && packets_of(in, s) > 0 && !is_scalar_code(in, s) &&
           scaling_part(in, s) >= kScalingMuch;
  });
  double scaling = 0;
  for (const size_t s : steps) scaling += in.step(s).us * scaling_part(in, s);
  if (scaling <= 0) return;
  Finding finding;
  finding.title = str(count_of(steps.size(), "layer"), " take ", share_of_run(in, scaling),
                      " of the run to scale sums to bytes");
  finding.evidence = {time_evidence("time", sum_us(in, steps)), time_evidence("scaling", scaling),
                      emulated_evidence("packets", dsp_count(in, steps, "packets"))};
  finding.steps = steps;
  finding.fix =
      "their products are short beside their results: fewer output channels, or an expansion and "
      "the depthwise layer "
      "behind it as one ordinary convolution, scale less";
  finding.gain = predicted_gain(scaling / 2, 2);
  finding.formula = str("half of ", fixed(scaling, 1),
                        " us (2 packets for 32 results): with half as many results");
  finding.confidence = "low";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_dsp_requantization = {
    .id = "dsp_requantization",
    .summary = "Layers that take a fifth of their packets and more to scale sums to bytes.",
    .bound = Bound::Conversion,
    .on = RuleFor::Dsp,
    .check = check_dsp_requantization,
};

}  // namespace hone
