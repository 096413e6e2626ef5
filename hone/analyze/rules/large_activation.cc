#include <algorithm>

#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

// What streaming kernels reach of the rate of copying in the cache; in memory it is nearly all.
double reach_in_cache(const DeviceFile& device) {
  constexpr double kNotMeasured = 0.5;
  for (const KernelReach& kernel : device.kernels) {
    if (kernel.kind == "streaming") return kernel.of_roof;
  }
  return kNotMeasured;
}

// Slower than this many times what its memory takes, even on a busy machine, a step waits for
// something else.
constexpr double kHeldByMemory = 20;

// What a step that streams would save if its bytes came from `near`, where kernels reach `reach` of
// the rate.
double saved_near(const Evidence& in, const StepProfile& step, const MemoryLevel& near,
                  double reach) {
  const auto bytes = static_cast<double>(step.read_bytes + step.written_bytes);
  const bool streams = step.bound != "compute" && step.roof_us && step.macs == 0;
  if (!streams || bytes <= 2 * static_cast<double>(near.bytes)) return 0;
  if (step.us > kHeldByMemory * *step.roof_us) return 0;
  const double near_us = 1e6 * bytes / rate_for(near.copy, in.profile.threads, in.device.threads);
  return step.us - near_us / reach;
}

void check_large_activation(const Evidence& in, std::vector<Finding>& out) {
  if (in.device.memory.size() < 2) return;
  const MemoryLevel& near = in.device.memory[1];
  const double reach = reach_in_cache(in.device);
  std::vector<size_t> steps;
  double us = 0;
  for (size_t s = 0; s < in.steps(); ++s) {
    const double less = saved_near(in, in.step(s), near, reach);
    if (less <= 0) continue;
    steps.push_back(s);
    us += less;
  }
  if (steps.empty()) return;
  const size_t largest =
      *std::ranges::max_element(steps, {}, [&](size_t s) { return in.step(s).written_bytes; });
  Finding finding;
  finding.title = str(count_of(steps.size(), "step"), steps.size() == 1 ? " streams" : " stream",
                      " activations of up to ", human_bytes(in.step(largest).written_bytes),
                      " through ", in.step(largest).bound, ", past ", near.name);
  finding.evidence = {time_evidence("time", sum_us(in, steps)),
                      {.name = "largest",
                       .value = static_cast<double>(in.step(largest).written_bytes),
                       .unit = "B",
                       .mode = Mode::Exact},
                      {.name = near.name,
                       .value = static_cast<double>(near.bytes),
                       .unit = "B",
                       .mode = Mode::Exact}};
  finding.steps = steps;
  finding.fix = str("work on smaller pieces (a smaller batch or image) that stay in ", near.name);
  finding.gain = predicted_gain(us, 1.4);
  finding.formula = str("over the steps: time now, less that at ", fixed(100 * reach, 0), " % of ",
                        near.name, "'s rate of copying, which kernels reach on pieces");
  finding.confidence = "medium";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_large_activation = {
    .id = "large_activation",
    .summary = "Activations too large for the caches near the cores.",
    .bound = Bound::Memory,
    .on = RuleFor::Measured,
    .check = check_large_activation,
};

}  // namespace hone
