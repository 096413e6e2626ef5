#include <algorithm>

#include "hone/analyze/gpu_evidence.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

constexpr double kNearlyFullClock = 0.95;  // Clocks move by a few steps of 15 MHz by themselves.

std::string fix_of_clock(const std::vector<std::string>& reasons) {
  const auto has = [&](const char* word) {
    return std::ranges::find(reasons, word) != reasons.end();
  };
  if (has("a clock that was set")) return "take back the clock that was set for applications";
  if (has("heat")) return "cool the GPU better, or share its work among more of them";
  if (has("power limit")) {
    return "raise the limit of its power where the board allows it, or draw less: fewer bytes and "
           "narrower numbers";
  }
  return str("find out why the clock is held back: ", join(reasons, " and "));
}

// Kernels take as many clocks as before; copies do not care.
void check_gpu_throttled(const Evidence& in, std::vector<Finding>& out) {
  const GpuTimeline& gpu = *in.profile.gpu;
  if (gpu.running_mhz == 0 || gpu.clock_mhz == 0 || gpu.slowed_by.empty()) return;
  const double part = gpu.running_mhz / gpu.clock_mhz;
  if (part >= kNearlyFullClock) return;
  const double kernels = std::max(0.0, gpu.busy_us - sum_us(gpu.copies));
  const double gain = kernels * (1 - part);
  Finding finding;
  finding.title = str("the GPU runs at ", fixed(100 * part, 0), " % of its clock, held back by ",
                      join(gpu.slowed_by, " and "));
  finding.evidence = {{.name = "clock", .value = gpu.running_mhz, .unit = "MHz"},
                      {.name = "most", .value = gpu.clock_mhz, .unit = "MHz", .mode = Mode::Exact},
                      time_evidence("kernels", kernels)};
  finding.fix = fix_of_clock(gpu.slowed_by);
  finding.gain = predicted_gain(gain, 1.5);
  finding.formula = str(fixed(kernels, 1), " us of kernels x (1 - ", fixed(gpu.running_mhz, 0),
                        " / ", fixed(gpu.clock_mhz, 0), " MHz)");
  finding.confidence = "medium";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_gpu_throttled = {
    .id = "gpu_throttled",
    .summary = "The GPU's clock is kept below its maximum, and by what (NVML).",
    .bound = Bound::Compute,
    .on = RuleFor::Gpu,
    .check = check_gpu_throttled,
};

}  // namespace hone
