#include <algorithm>
#include <array>

#include "hone/analyze/gpu_evidence.h"
#include "hone/analyze/op_kinds.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/profile/import/gpu_kernel.h"

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

void tell_of_transposes(const Evidence& in, bool of_inputs, std::vector<Finding>& out) {
  const std::vector<size_t> steps = steps_where(
      in, [&](size_t s) { return changes_layout(in, s) && reads_an_input(in, s) == of_inputs; });
  if (steps.empty()) return;
  const char* verb = steps.size() == 1 ? " changes" : " change";
  out.push_back(removable(
      in, steps,
      str(count_of(steps.size(), "transpose"), verb, " the layout of ",
          of_inputs ? "inputs: " : "what was computed: ", share_of_run(in, sum_us(in, steps)),
          " of the run"),
      of_inputs ? "give the inputs channels last, which kernels compute in"
                : "leave the transposes out of the model, or keep one layout through the "
                  "operators around them"));
}

// PyTorch's copies, of what lies otherwise than the next operator wants it or shall be kept.
bool is_copy_of_operator(const StepProfile& step) {
  return step.kind.family == StepFamily::Movement && step.kind.work != kCopyWork &&
         (step.kind.work.find("copy_kernel") != std::string::npos ||
          step.op.find("copy_kernel") != std::string::npos);
}

void tell_of_copies_by_operators(const Evidence& in, std::vector<Finding>& out) {
  std::vector<size_t> steps =
      steps_where(in, [&](size_t s) { return is_copy_of_operator(in.step(s)); });
  if (steps.empty()) return;
  const std::string title =
      str(count_of(steps.size(), "kernel"), steps.size() == 1 ? " copies" : " copy",
          " tensors on the GPU into another layout or place: ", share_of_run(in, sum_us(in, steps)),
          " of the run");
  out.push_back(removable(
      in, std::move(steps), title,
      "leave out contiguous(), clone() and reshape() of transposed tensors where the next "
      "operator takes strides; choose one layout and keep it, write results where they "
      "are needed, or let torch.compile fuse the copies with what computes them"));
  out.back().confidence = "medium";
}

void check_gpu_layout_changes(const Evidence& in, std::vector<Finding>& out) {
  if (is_own_gpu_run(in.profile)) {
    if (in.nodes.empty()) return;
    tell_of_transposes(in, false, out);
    return tell_of_transposes(in, true, out);
  }
  tell_of_copies_by_operators(in, out);
  std::vector<size_t> steps = steps_where(in, [&](size_t s) { return changes_layout(in, s); });
  if (steps.empty()) return;
  const std::string title =
      str(count_of(steps.size(), "kernel"), steps.size() == 1 ? " changes" : " change",
          " the layout around convolutions: ", share_of_run(in, sum_us(in, steps)), " of the run");
  out.push_back(removable(in, std::move(steps), title,
                          "give model and inputs channels last (memory_format=torch.channels_last),"
                          " which tensor cores compute in"));
}

}  // namespace

extern const RuleDef rule_gpu_layout_changes = {
    .id = "gpu_layout_changes",
    .summary = "Kernels of a GPU that only bring tensors into another layout or place.",
    .bound = Bound::Layout,
    .on = RuleFor::Gpu,
    .check = check_gpu_layout_changes,
};

}  // namespace hone
