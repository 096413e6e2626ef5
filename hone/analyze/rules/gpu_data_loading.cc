#include <algorithm>
#include <cmath>

#include "hone/analyze/gpu_evidence.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

constexpr double kGpuLoadingWorthIt = 0.05;  // Part of the run.

// Data that is made beside the runs before costs nothing, as long as enough hosts make it; its copy
// then goes out of pinned memory beside the kernels.
void check_gpu_data_loading(const Evidence& in, std::vector<Finding>& out) {
  if (!in.profile.gpu || in.profile.gpu->loading_us < kGpuLoadingWorthIt * in.run_us()) return;
  const GpuTimeline& gpu = *in.profile.gpu;
  std::vector<size_t> steps = copying_steps(in, "HtoD");
  const double copies = alone_us(in, steps);
  const double gain = std::min(gpu.loading_us + gpu.copying_us + copies, gpu.run_us);
  const double rest = std::max(gpu.run_us - gain, 1.0);
  const double workers = std::ceil(std::max(gpu.loading_us, gpu.preparing_us) / rest);
  // PyTorch's name of a loader that has processes already; each run now gets what they make.
  const bool several = std::ranges::any_of(gpu.host_work, [](const GpuCost& cost) {
    return cost.what.find("MultiProcessingDataLoader") != std::string::npos;
  });
  Finding finding;
  finding.title = str("the GPU waits ", share_of_run(in, gpu.loading_us),
                      " of the run for data that the host prepares");
  finding.evidence = {time_evidence("idle_loading", gpu.loading_us),
                      time_evidence("copies_to_device", copies),
                      time_evidence("gpu_busy", gpu.busy_us), count_evidence("workers", workers)};
  finding.steps = std::move(steps);
  finding.fix = str(
      "prepare data beside the runs: ",
      several ? str(fixed(std::ceil(10 * gpu.run_us / rest) / 10, 1),
                    " times as many loader processes as now,")
              : str(fixed(workers, 0), " or more loader ", workers == 1 ? "process" : "processes"),
      " with pinned memory and copies that do not block, or prepare it on the GPU, or "
      "once and for all beforehand (the host spends it in ",
      timed_costs(gpu.host_work), ")");
  finding.gain = predicted_gain(gain, 1.3);
  finding.formula = str(fixed(gpu.loading_us, 0), " us idle while the host prepares + ",
                        fixed(gpu.copying_us + copies, 0),
                        " us to copy it; what the GPU does else takes ", fixed(rest, 0), " us");
  finding.confidence = "high";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_gpu_data_loading = {
    .id = "gpu_data_loading",
    .summary = "The GPU waits while the host prepares the data that it then copies to it.",
    .bound = Bound::Transfer,
    .on = RuleFor::Gpu,
    .check = check_gpu_data_loading,
};

}  // namespace hone
