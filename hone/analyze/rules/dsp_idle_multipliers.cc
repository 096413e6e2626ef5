#include <algorithm>

#include "hone/analyze/dsp_evidence.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

// Of two multiplies a packet: what layers reach whose products are long.
constexpr double kDspIdleUsual = 0.8;
constexpr double kDspIdleLow = 0.5;

double use_of(const Evidence& in, size_t s) {
  return dsp_count(in, s, "vector_multiplies") / (2 * packets_of(in, s));
}

void check_dsp_idle_multipliers(const Evidence& in, std::vector<Finding>& out) {
  const std::vector<size_t> steps = steps_where(in, [&](size_t s) {
    return in.step(s).macs > 0 && packets_of(in, s) > 0 && !is_scalar_code(in, s) &&
           use_of(in, s) < kDspIdleLow;
  });
  const double us = sum_us(in, steps);
  if (us <= 0) return;
  double reachable = 0;
  for (const size_t s : steps) reachable += in.step(s).us * use_of(in, s) / kDspIdleUsual;
  const double multiplies = dsp_count(in, steps, "vector_multiplies");
  const double packets = dsp_count(in, steps, "packets");
  Finding finding;
  finding.title = str(count_of(steps.size(), "layer"), " (", share_of_run(in, us),
                      " of the run) leave ", fixed(100 * (1 - multiplies / (2 * packets)), 0),
                      " % of the slots for vector multiplies empty");
  finding.evidence = {time_evidence("time", us), emulated_evidence("packets", packets),
                      emulated_evidence("vector_multiplies", multiplies)};
  finding.steps = steps;
  finding.fix =
      "products of few channels, and depthwise ones, are short beside what loads, scales and "
      "stores: more input "
      "channels in fewer layers, output channels in multiples of 32, 3x3 instead of 5x5 where they "
      "are depthwise";
  finding.gain = predicted_gain(us - reachable, 2);
  finding.formula = str(fixed(us, 1), " us now, less ", fixed(reachable, 1), " us with ",
                        fixed(100 * kDspIdleUsual, 0), " % of the slots in use");
  finding.confidence = "low";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_dsp_idle_multipliers = {
    .id = "dsp_idle_multipliers",
    .summary = "Layers whose packets multiply vectors in less than half of the slots for it.",
    .bound = Bound::SmallWork,
    .on = RuleFor::Dsp,
    .check = check_dsp_idle_multipliers,
};

}  // namespace hone
