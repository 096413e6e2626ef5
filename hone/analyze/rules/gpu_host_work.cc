#include "hone/analyze/gpu_evidence.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

constexpr double kGpuHostWorkWorthIt = 0.05;  // Part of the run.

void check_gpu_host_work(const Evidence& in, std::vector<Finding>& out) {
  // Of Hone's own runs the operators that the host computes are told one by one.
  if (is_own_gpu_run(in.profile) || in.profile.gpu->host_us < kGpuHostWorkWorthIt * in.run_us()) {
    return;
  }
  const GpuTimeline& gpu = *in.profile.gpu;
  Finding finding;
  finding.title = str("the GPU waits ", share_of_run(in, gpu.host_us),
                      " of the run while the host does work of its own");
  finding.evidence = {time_evidence("idle_host_work", gpu.host_us),
                      time_evidence("gpu_busy", gpu.busy_us)};
  finding.fix = str("move it out of the loop, onto the GPU, or to another thread (",
                    timed_costs(gpu.host_work), ")");
  finding.gain = predicted_gain(gpu.host_us, 1.3);
  finding.formula = str("all of the ", fixed(gpu.host_us, 0),
                        " us in which the GPU is idle and the host neither launches, copies nor "
                        "waits for it");
  finding.confidence = "medium";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_gpu_host_work = {
    .id = "gpu_host_work",
    .summary = "The GPU is idle while the host computes something and launches nothing.",
    .bound = Bound::Fallback,
    .on = RuleFor::Gpu,
    .check = check_gpu_host_work,
};

}  // namespace hone
