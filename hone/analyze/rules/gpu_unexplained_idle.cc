#include "hone/analyze/gpu_evidence.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

constexpr double kGpuUnexplainedWorthIt = 0.1;  // Part of the run.

void check_gpu_unexplained_idle(const Evidence& in, std::vector<Finding>& out) {
  const GpuTimeline& gpu = *in.profile.gpu;
  if (gpu.unknown_us < kGpuUnexplainedWorthIt * in.run_us()) return;
  Finding finding;
  finding.title = str("the GPU does nothing ", share_of_run(in, gpu.unknown_us),
                      " of the run, and the trace does not say why");
  finding.evidence = {time_evidence("idle_unexplained", gpu.unknown_us),
                      time_evidence("gpu_busy", gpu.busy_us),
                      count_evidence("kernels", static_cast<double>(gpu.kernels))};
  finding.fix =
      "export the calls of the host beside the work of the GPU (of Nsight Systems, report "
      "cuda_api_trace beside cuda_gpu_trace): they tell launches, waits, copies and data apart";
  finding.gain = {.name = "gain",
                  .value = 1e-3 * gpu.unknown_us,
                  .unit = "ms",
                  .mode = Mode::Predicted,
                  .low = 0,
                  .high = 1e-3 * gpu.unknown_us};
  finding.formula = str(fixed(gpu.unknown_us, 0), " us, at most: what the host does in it decides");
  finding.confidence = "low";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_gpu_unexplained_idle = {
    .id = "gpu_unexplained_idle",
    .summary = "The GPU waits, and the trace has no calls of the host that would tell for what.",
    .bound = Bound::Launch,
    .on = RuleFor::Gpu,
    .check = check_gpu_unexplained_idle,
};

}  // namespace hone
