#include <algorithm>

#include "hone/analyze/gpu_evidence.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

constexpr double kGpuSmallWorthIt = 0.1;  // Part of the run.
// Of the run; where the GPU does less, it is the host that holds it back.
constexpr double kGpuHoldsBack = 0.5;

// Kernels that leave multiprocessors without a block would take no longer with more to do.
void check_gpu_small_kernels(const Evidence& in, std::vector<Finding>& out) {
  const GpuTimeline& gpu = *in.profile.gpu;
  if (gpu.busy_us < kGpuHoldsBack * gpu.run_us) return;
  double us = 0;
  double unused = 0;
  std::vector<size_t> steps = steps_where(in, [&](size_t s) {
    const double waves = waves_of(in, s).value_or(1);
    if (waves >= 1) return false;
    us += in.step(s).us;
    unused += in.step(s).us * (1 - waves);
    return true;
  });
  if (unused < kGpuSmallWorthIt * in.run_us()) return;
  Finding finding;
  finding.title =
      str(count_of(steps.size(), "kernel"), steps.size() == 1 ? " is" : " are",
          " too small to fill the GPU: ", share_of_run(in, us), " of the run, of which ",
          fixed(100 * unused / us, 0), " % of its multiprocessors' time is unused");
  finding.evidence = {time_evidence("small_kernels", us), time_evidence("unused", unused),
                      count_evidence("multiprocessors", static_cast<double>(gpu.processors))};
  finding.steps = std::move(steps);
  finding.fix =
      "compute more at a time: a larger batch, or several requests side by side on streams of "
      "their "
      "own";
  finding.gain = predicted_gain(unused, 2);
  finding.formula = str("of ", fixed(us, 0), " us of kernels that fill less than one wave, the ",
                        fixed(unused, 0),
                        " us that the rest of the GPU has no block: what is gained for each input "
                        "when as many are computed at once as fill it");
  finding.confidence = "low";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_gpu_small_kernels = {
    .id = "gpu_small_kernels",
    .summary = "Kernels with fewer blocks than fill the GPU once: the batch is too small for it.",
    .bound = Bound::SmallWork,
    .on = RuleFor::Gpu,
    .check = check_gpu_small_kernels,
};

}  // namespace hone
