#include <algorithm>

#include "hone/analyze/gpu_evidence.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

constexpr double kGpuLaunchingWorthIt = 0.1;  // Part of the run.
// Between two kernels of a CUDA graph, in us. 243 short ones on an H200 lie 0.3 us apart.
constexpr double kGraphGapUs = 0.5;

// Without the profiler the host is faster, so that less is to be gained than the trace shows.
Metric gain_without_profiler(const GpuTimeline& gpu, double apart, bool known) {
  const auto gain = [&](double profiler) {
    const double written = profiler * static_cast<double>(gpu.capturable_recorded);
    return 1e-3 * std::max(0.0, gpu.capturable_us - written - apart);
  };
  return {.name = "gain",
          .value = gain(known ? kProfilerUs : 0),
          .unit = "ms",
          .mode = Mode::Predicted,
          .low = gain(kProfilerMostUs),
          .high = gain(0)};
}

void check_gpu_launch_bound(const Evidence& in, std::vector<Finding>& out) {
  if (!in.profile.gpu) return;
  const GpuTimeline& gpu = *in.profile.gpu;
  if (gpu.capturable_us < kGpuLaunchingWorthIt * in.run_us()) return;
  const bool known = profiler_is_known(in.profile);
  const double apart = kGraphGapUs * static_cast<double>(gpu.capturable);
  const double kernel_us = gpu.busy_us / std::max<double>(1, static_cast<double>(gpu.kernels));
  Finding finding;
  finding.title =
      str("the GPU waits ", share_of_run(in, gpu.capturable_us),
          " of the run for launches: ", gpu.kernels, " kernels of ", fixed(kernel_us, 1), " us");
  finding.evidence = {time_evidence("idle_launching", gpu.launching_us),
                      time_evidence("gpu_busy", gpu.busy_us),
                      count_evidence("kernels", static_cast<double>(gpu.kernels)),
                      time_evidence("kernel", kernel_us)};
  finding.fix =
      "launch them as one: a CUDA graph (torch.cuda.CUDAGraph, or torch.compile with "
      "mode='reduce-overhead'); fewer and larger kernels, by fusing or by larger batches, help too";
  finding.gain = gain_without_profiler(gpu, apart, known);
  finding.formula = str(fixed(gpu.capturable_us, 0), " us idle while the host launches - ",
                        known ? str(gpu.capturable_recorded, " operators and calls x ",
                                    fixed(kProfilerUs, 1), " us that the profiler takes - ")
                              : "",
                        gpu.capturable, " launches x ", fixed(kGraphGapUs, 1), " us in a graph");
  finding.confidence = "medium";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_gpu_launch_bound = {
    .id = "gpu_launch_bound",
    .summary = "Kernels so short that the GPU waits for the host to launch the next.",
    .bound = Bound::Launch,
    .on = RuleFor::Gpu,
    .check = check_gpu_launch_bound,
};

}  // namespace hone
