#include "hone/analyze/gpu_evidence.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"

namespace hone {
namespace {

constexpr double kGpuConversionsWorthIt = 0.03;  // Part of the run.

void check_gpu_conversions(const Evidence& in, std::vector<Finding>& out) {
  // Of Hone's own runs nobody but the model asks for them.
  if (is_own_gpu_run(in.profile)) return;
  std::vector<size_t> steps =
      steps_where(in, [&](size_t s) { return in.step(s).kind.family == StepFamily::Conversion; });
  const double us = sum_us(in, steps);
  if (us < kGpuConversionsWorthIt * in.run_us()) return;
  const std::string title =
      str(count_of(steps.size(), "kernel"), steps.size() == 1 ? " converts" : " convert",
          " tensors to another type: ", share_of_run(in, us), " of the run");
  out.push_back(
      removable(in, std::move(steps), title,
                "convert weights once and keep them so (the model in half precision, or "
                "torch.autocast with its cache on), and keep one type from operator to operator; "
                "torch.compile fuses what is left with what computes it"));
  out.back().confidence = "medium";
}

}  // namespace

extern const RuleDef rule_gpu_conversions = {
    .id = "gpu_conversions",
    .summary = "Kernels of a GPU that only change the type of elements, in programs of others.",
    .bound = Bound::Conversion,
    .on = RuleFor::Gpu,
    .check = check_gpu_conversions,
};

}  // namespace hone
