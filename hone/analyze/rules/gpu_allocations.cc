#include <algorithm>

#include "hone/analyze/gpu_evidence.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

constexpr double kGpuAllocationsWorthIt = 0.02;  // Part of the run.

// As of calls that wait: without them the run takes what the longer of host and GPU takes.
void check_gpu_allocations(const Evidence& in, std::vector<Finding>& out) {
  const GpuTimeline& gpu = *in.profile.gpu;
  const double calls = sum_us(gpu.allocations);
  const double gain = gpu.run_us - std::max(gpu.busy_us, gpu.run_us - calls);
  if (gpu.allocations.empty() || gain < kGpuAllocationsWorthIt * in.run_us()) return;
  Finding finding;
  finding.title = str("memory is taken and given back in the loop: ", named_costs(gpu.allocations),
                      ", ", share_of_run(in, calls), " of the run");
  finding.evidence = {time_evidence("allocations", calls),
                      time_evidence("idle_allocating", gpu.allocating_us),
                      time_evidence("gpu_busy", gpu.busy_us)};
  finding.fix =
      "take buffers once and keep them: PyTorch's caching allocator does, unless its memory is "
      "full "
      "or in pieces; no torch.cuda.empty_cache() in the loop, "
      "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True where sizes change, a smaller batch where "
      "memory is full; elsewhere cudaMallocAsync and its pools";
  finding.gain = predicted_gain(gain, 1.3);
  finding.formula = str(fixed(gpu.run_us, 0), " us - the longer of ", fixed(gpu.busy_us, 0),
                        " us of the GPU and ", fixed(gpu.run_us - calls, 0),
                        " us of the host without ", fixed(calls, 0), " us in these calls");
  finding.confidence = "high";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_gpu_allocations = {
    .id = "gpu_allocations",
    .summary = "The host takes memory of the GPU and gives it back inside the loop.",
    .bound = Bound::Launch,
    .on = RuleFor::Gpu,
    .check = check_gpu_allocations,
};

}  // namespace hone
