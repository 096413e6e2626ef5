#include <algorithm>

#include "hone/analyze/gpu_evidence.h"
#include "hone/analyze/gpu_roofs.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

constexpr double kGpuSmallWorthIt = 0.1;  // Part of the run.
// Of the run; where the GPU does less, it is the host that holds it back.
constexpr double kGpuHoldsBack = 0.5;

constexpr double kBatchTried = 8;  // Inputs at a time that the price is of.

// Of one input among several that are computed at once: its blocks stand where none stood before,
// until the GPU is full or its cores and memory are.
double us_in_batch(const Evidence& in, size_t s, double waves) {
  const StepProfile& step = in.step(s);
  double part = std::max(waves, 1 / kBatchTried);
  if (const std::optional<GpuRoofs> roofs = gpu_roofs(*in.profile.gpu); roofs && step.us > 0) {
    const double multiplying = static_cast<double>(step.macs) / roofs->macs(step.kind.precision);
    const double moving = gpu_traffic(*roofs, in.profile, step).us;
    part = std::max(part, std::max(multiplying, moving) / step.us);
  }
  return step.us * std::min(1.0, part);
}

// What the host does for a run it does for all inputs of a batch at once, and copies are started
// together. Their bytes move as before.
double shared_with_batch_us(const Evidence& in) {
  constexpr double kLinkBytes = 45e3;  // In a microsecond, between an H200 and its host.
  if (!is_own_gpu_run(in.profile)) return 0;
  double us = in.profile.gpu->launching_us * (1 - 1 / kBatchTried);
  for (const GpuCost& copy : in.profile.gpu->copies) {
    const double moving = static_cast<double>(copy.bytes) / kLinkBytes;
    us += std::max(0.0, copy.us - std::max(copy.us / kBatchTried, moving));
  }
  return us;
}

// Kernels that leave multiprocessors without a block would take no longer with more to do.
void check_gpu_small_kernels(const Evidence& in, std::vector<Finding>& out) {
  const GpuTimeline& gpu = *in.profile.gpu;
  if (!is_own_gpu_run(in.profile) && gpu.busy_us < kGpuHoldsBack * gpu.run_us) return;
  double us = 0;
  double unused = 0;
  double kernels = 0;
  std::vector<size_t> steps = steps_where(in, [&](size_t s) {
    const double waves = waves_of(in, s).value_or(1);
    // Communication waits for other GPUs and not for multiprocessors.
    if (waves >= 1 || in.step(s).kind.family == StepFamily::Communication) return false;
    us += in.step(s).us;
    unused += in.step(s).us * (1 - waves);
    kernels += in.step(s).us - us_in_batch(in, s, waves);
    return true;
  });
  const double shared = shared_with_batch_us(in);
  const double gain = kernels + shared;
  if (steps.empty() || gain < kGpuSmallWorthIt * in.run_us()) return;
  Finding finding;
  finding.title =
      str(count_of(steps.size(), "kernel"), steps.size() == 1 ? " is" : " are",
          " too small to fill the GPU: ", share_of_run(in, us), " of the run, of which ",
          fixed(100 * unused / us, 0), " % of its multiprocessors' time is unused");
  finding.evidence = {time_evidence("small_kernels", us), time_evidence("unused", unused),
                      time_evidence("shared", shared), count_evidence(kBatchEvidence, kBatchTried),
                      count_evidence("multiprocessors", static_cast<double>(gpu.processors))};
  finding.steps = std::move(steps);
  finding.fix =
      "compute more at a time: a larger batch, or several requests side by side on streams of "
      "their own";
  finding.gain = predicted_gain(gain, 2);
  finding.formula =
      str("of each input, when ", fixed(kBatchTried, 0),
          " are computed at once: ", fixed(kernels, 1), " us of ", fixed(us, 1),
          " us of kernels whose blocks leave room for others', as far as cores and memory allow");
  if (shared > 0) {
    finding.formula +=
        str(", and ", fixed(shared, 1), " us of starting runs and copies that they share");
  }
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
