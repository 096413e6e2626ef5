#include <algorithm>

#include "hone/analyze/gpu_evidence.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

constexpr double kGpuWaitsWorthIt = 0.02;  // Part of the run.

// Calls that nothing but waiting is asked of, and values that the host reads.
std::string fix_of_waits(const std::vector<GpuCost>& waits) {
  const auto only_waits = [](const GpuCost& cost) {
    return cost.what.find("Synchronize") != std::string::npos ||
           cost.what.find("synchronize") != std::string::npos;
  };
  std::vector<std::string> parts;
  if (std::ranges::any_of(waits, only_waits)) {
    parts.emplace_back(
        "remove synchronize() from the loop (to take times, events on the stream do without)");
  }
  if (!std::ranges::all_of(waits, only_waits)) {
    parts.emplace_back(
        "keep values on the GPU: no item(), no cpu(), no condition on a tensor in the loop; decide "
        "on the device, or read results a run later");
  }
  return join(parts, "; ");
}

// A host that does not wait launches ahead of the GPU: the run takes what the longer of the two
// takes.
void check_gpu_synchronising(const Evidence& in, std::vector<Finding>& out) {
  if (!in.profile.gpu) return;
  const GpuTimeline& gpu = *in.profile.gpu;
  const double waits = sum_us(gpu.waits);
  const double gpu_alone = gpu.busy_us + gpu.graph_us;
  const double without = std::max(gpu_alone, gpu.run_us - waits);
  const double gain = gpu.run_us - without;
  if (gain < kGpuWaitsWorthIt * in.run_us()) return;
  double count = 0;
  for (const GpuCost& cost : gpu.waits) count += static_cast<double>(cost.count);
  Finding finding;
  finding.title = str("the host waits for the GPU ", fixed(count, 0),
                      count == 1 ? " time" : " times", " in a run: ", named_costs(gpu.waits));
  finding.evidence = {time_evidence("waits", waits), count_evidence("waits", count),
                      time_evidence("idle_waiting", gpu.waiting_us),
                      time_evidence("idle_launching", gpu.launching_us),
                      time_evidence("gpu_busy", gpu.busy_us)};
  finding.fix = fix_of_waits(gpu.waits);
  if (gpu.launching_us > gain) {
    finding.fix += str("; launching then holds the GPU back, and without waits the loop can be ",
                       "captured as a CUDA graph: up to ",
                       human_duration(1e-6 * (without - gpu_alone)), " more");
  }
  finding.gain = predicted_gain(gain, 1.5);
  finding.formula = str(fixed(gpu.run_us, 0), " us - the longer of ", fixed(gpu_alone, 0),
                        " us of the GPU and ", fixed(gpu.run_us - waits, 0),
                        " us of the host without ", fixed(waits, 0), " us in calls that wait");
  finding.confidence = "medium";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_gpu_synchronising = {
    .id = "gpu_synchronising",
    .summary = "The host waits for the GPU inside the loop, so that it cannot launch ahead.",
    .bound = Bound::Launch,
    .on = RuleFor::Gpu,
    .check = check_gpu_synchronising,
};

}  // namespace hone
