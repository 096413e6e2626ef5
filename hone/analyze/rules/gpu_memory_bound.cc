#include <algorithm>

#include "hone/analyze/gpu_evidence.h"
#include "hone/analyze/gpu_roofs.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

constexpr double kGpuMemoryWorthIt = 0.05;  // Part of the run.
// Part of what memory or cache move at most; a plain copy on an H200 reaches 0.88 of its memory's.
constexpr double kBoundByTraffic = 0.5;
// What a kernel takes however little it moves.
constexpr double kShortPassUs = 2;

// Of what a step's memory allows, the part that it reaches; by counters where there are some.
double reach_of_traffic(const Evidence& in, size_t s, bool& memory) {
  const StepProfile& step = in.step(s);
  if (const auto counted = counter_of(step, "DRAM Throughput")) {
    memory = true;
    return *counted / 100;
  }
  const std::optional<GpuRoofs> roofs = gpu_roofs(*in.profile.gpu);
  if (!roofs || step.us == 0) return 0;
  const GpuTraffic traffic = gpu_traffic(*roofs, in.profile, step);
  memory = traffic.memory;
  return traffic.us / step.us;
}

// Products have more to gain from tensor cores, and a rule of their own. Names of others' kernels
// seldom tell what they compute in.
bool could_be_half(const Evidence& in, size_t s) {
  const StepKind& kind = in.step(s).kind;
  const bool wide = kind.precision == Arithmetic::Fp32 ||
                    (kind.precision == Arithmetic::Unknown && !is_own_gpu_run(in.profile));
  return wide && kind.family != StepFamily::Product && !kind.on_host;
}

void check_gpu_memory_bound(const Evidence& in, std::vector<Finding>& out) {
  double bytes = 0;
  double least = 0;
  double memory_us = 0;
  std::vector<size_t> steps = steps_where(in, [&](size_t s) {
    bool memory = false;
    const double reach = reach_of_traffic(in, s, memory);
    if (!could_be_half(in, s) || reach < kBoundByTraffic) return false;
    bytes += static_cast<double>(in.step(s).bytes());
    least += std::min(1.0, reach) * in.step(s).us;
    memory_us += memory ? in.step(s).us : 0;
    return true;
  });
  const double us = sum_us(in, steps);
  double gain = 0;
  for (const size_t s : steps) {
    gain += in.step(s).us - std::max(in.step(s).us / 2, std::min(in.step(s).us, kShortPassUs));
  }
  if (gain < kGpuMemoryWorthIt * in.run_us()) return;
  const char* level = memory_us >= us / 2 ? "the GPU's memory" : "the GPU's cache";
  Finding finding;
  finding.subject = "moving half as many bytes";
  finding.title = str(count_of(steps.size(), "step"), steps.size() == 1 ? " waits" : " wait",
                      " for ", level, ": ", share_of_run(in, us), " of the run at ",
                      fixed(100 * least / us, 0), " % of what it moves");
  finding.evidence = {time_evidence("time", us), time_evidence("least_for_its_bytes", least)};
  if (bytes > 0) {
    finding.evidence.push_back({.name = "rate", .value = bytes / us * 1e-3, .unit = "GB/s"});
  }
  finding.steps = std::move(steps);
  finding.fix =
      "compute in half precision, which moves half as many bytes, and validate the "
      "accuracy; or fuse these steps with their neighbours";
  finding.hint = {HintKind::Precision, "fp16"};
  finding.gain = predicted_gain(gain, 1.3);
  finding.formula = str(fixed(us, 1),
                        " us now, less half of it for half of the bytes; no kernel "
                        "takes less than ",
                        fixed(kShortPassUs, 0), " us");
  finding.confidence = "medium";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_gpu_memory_bound = {
    .id = "gpu_memory_bound",
    .summary = "Steps in fp32 that take what their bytes take in the GPU's memory or cache.",
    .bound = Bound::Memory,
    .on = RuleFor::Gpu,
    .check = check_gpu_memory_bound,
};

}  // namespace hone
