#include <algorithm>
#include <array>

#include "hone/analyze/gpu_evidence.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"

namespace hone {
namespace {

// What cuDNN calls its kernels that bring tensors into another layout.
constexpr std::array<std::string_view, 3> kLayoutKernels = {"nchwToNhwc", "nhwcToNchw",
                                                            "convertTensor"};

bool changes_layout(const Evidence& in, size_t s) {
  const StepProfile& step = in.step(s);
  if (is_own_gpu_run(in.profile)) return step.op == "transpose" && !step.kind.on_host;
  return std::ranges::any_of(kLayoutKernels, [&](std::string_view word) {
    return step.kind.work.find(word) != std::string::npos || step.op.starts_with(word);
  });
}

void check_gpu_layout_changes(const Evidence& in, std::vector<Finding>& out) {
  std::vector<size_t> steps = steps_where(in, [&](size_t s) { return changes_layout(in, s); });
  if (steps.empty()) return;
  const bool own = is_own_gpu_run(in.profile);
  const std::string title = str(count_of(steps.size(), own ? "transpose" : "kernel"),
                                steps.size() == 1 ? " changes" : " change",
                                own ? " the layout: " : " the layout around convolutions: ",
                                share_of_run(in, sum_us(in, steps)), " of the run");
  out.push_back(
      removable(in, std::move(steps), title,
                own ? "leave the transposes out of the model, or give its inputs channels "
                      "last, which kernels compute in"
                    : "give model and inputs channels last "
                      "(memory_format=torch.channels_last), which tensor cores compute in"));
}

}  // namespace

extern const RuleDef rule_gpu_layout_changes = {
    .id = "gpu_layout_changes",
    .summary = "Kernels of a GPU that only bring tensors into the layout of the next convolution.",
    .bound = Bound::Layout,
    .on = RuleFor::Gpu,
    .check = check_gpu_layout_changes,
};

}  // namespace hone
