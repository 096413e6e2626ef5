#include <algorithm>
#include <array>

#include "hone/analyze/gpu_evidence.h"
#include "hone/analyze/gpu_roofs.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/profile/import/gpu_kernel.h"

namespace hone {
namespace {

constexpr double kGpuProductsWorthIt = 0.05;  // Part of the run.
// Attention in fp32 takes tensor cores three times, in TF32, for what half precision does at once and
// twice as fast.
constexpr double kFp32InParts = 6;

bool is_in_parts(const StepKind& kind) {
  return kind.family == StepFamily::Product && kind.precision == Arithmetic::Fp32 &&
         kind.variant == kOnTensorCores;
}

// Of Hone's own runs the kind tells; of others', the name of the kernel.
bool is_fp32_product(const Evidence& in, size_t s) {
  const StepKind& kind = in.step(s).kind;
  if (is_own_gpu_run(in.profile)) {
    return kind.family == StepFamily::Product && kind.precision == Arithmetic::Fp32 &&
           !kind.on_host;
  }
  const bool other = kind.precision == Arithmetic::Fp16 || kind.precision == Arithmetic::Bf16 ||
                     kind.precision == Arithmetic::Fp64;
  return is_in_parts(kind) || (kind.variant == kOnFp32Cores && !other);
}

double fp32_us_in_half(const Evidence& in, const GpuRoofs& roofs, size_t s) {
  const StepProfile& step = in.step(s);
  if (!is_own_gpu_run(in.profile) && is_in_parts(step.kind)) return step.us / kFp32InParts;
  return gpu_us_in_half(roofs, *in.profile.gpu, step);
}

// What to write in PyTorch.
std::string half_in_pytorch(const Evidence& in, const std::vector<size_t>& steps,
                            const GpuRoofs& roofs) {
  const auto convolves = [&](size_t s) { return in.step(s).op.find("conv") != std::string::npos; };
  const bool convolutions = std::ranges::any_of(steps, convolves);
  const bool products = !std::ranges::all_of(steps, convolves);
  std::string fix = str("compute in half precision (torch.autocast, or the model in ",
                        roofs.bf16 ? "fp16 or bf16)" : "fp16)");
  if (!roofs.tf32) return fix;
  std::vector<std::string> ways;
  if (products) ways.emplace_back("torch.set_float32_matmul_precision('high')");
  if (convolutions) ways.emplace_back("torch.backends.cudnn.allow_tf32 = True");
  return str(fix, "; allowing TF32 (", join(ways, " and "),
             ") keeps fp32 values and gains nearly as much");
}

// Cards for computing centres do half as many multiply-adds in fp64 as in fp32, all others a 32nd or
// less.
double fp64_ratio(const std::string& capability) {
  constexpr std::array<std::string_view, 6> kHalf = {"", "6.0", "7.0", "8.0", "9.0", "10.0"};
  return std::ranges::count(kHalf, std::string_view(capability)) > 0 ? 2 : 32;
}

void tell_of_fp64_products(const Evidence& in, std::vector<Finding>& out) {
  std::vector<size_t> steps = steps_where(in, [&](size_t s) {
    const StepKind& kind = in.step(s).kind;
    return kind.family == StepFamily::Product && kind.precision == Arithmetic::Fp64 &&
           !kind.on_host;
  });
  const double us = sum_us(in, steps);
  if (us < kGpuProductsWorthIt * in.run_us()) return;
  const double ratio = fp64_ratio(in.profile.gpu->capability);
  Finding finding;
  finding.title = str("products take ", share_of_run(in, us), " of the run in fp64");
  finding.evidence = {time_evidence("products", us), time_evidence("in_fp32", us / ratio),
                      count_evidence("steps", static_cast<double>(steps.size()))};
  finding.steps = std::move(steps);
  finding.fix =
      "compute in fp32, or narrower, where the accuracy allows it: arrays of NumPy and numbers of "
      "Python become fp64 unless a type is named";
  finding.gain = predicted_gain(us * (1 - 1 / ratio), 1.5);
  finding.formula = str(fixed(us, 0), " us x (1 - 1 / ", fixed(ratio, 0),
                        "): what this GPU multiplies in fp32 in the time of one in fp64, at least");
  finding.confidence = "medium";
  out.push_back(std::move(finding));
}

// Half precision has twice the rate, and half the bytes.
void tell_of_tf32_products(const Evidence& in, const GpuRoofs& roofs, std::vector<Finding>& out) {
  std::vector<size_t> steps = steps_where(in, [&](size_t s) {
    const StepKind& kind = in.step(s).kind;
    return kind.variant == kOnTensorCores && kind.precision == Arithmetic::Tf32;
  });
  const double us = sum_us(in, steps);
  if (us < kGpuProductsWorthIt * in.run_us()) return;
  double in_half = 0;
  for (const size_t s : steps) in_half += gpu_us_in_half(roofs, *in.profile.gpu, in.step(s));
  Finding finding;
  finding.title = str("products take ", share_of_run(in, us),
                      " of the run in TF32, which tensor cores compute at half the rate of half "
                      "precision");
  finding.evidence = {time_evidence("products", us), time_evidence("in_half_precision", in_half),
                      count_evidence("steps", static_cast<double>(steps.size()))};
  finding.steps = std::move(steps);
  finding.fix =
      "compute in half precision (torch.autocast, or the model in fp16 or bf16) and validate the "
      "accuracy";
  finding.gain = predicted_gain(us - in_half, 1.3);
  finding.formula =
      str(fixed(us, 0), " us - ", fixed(in_half, 0),
          " us at twice the rate; no product takes less than ", fixed(kShortProductUs, 1), " us");
  finding.confidence = "medium";
  out.push_back(std::move(finding));
}

void check_gpu_fp32_products(const Evidence& in, std::vector<Finding>& out) {
  const std::optional<GpuRoofs> roofs = gpu_roofs(*in.profile.gpu);
  if (!is_own_gpu_run(in.profile)) {
    tell_of_fp64_products(in, out);
    if (roofs) tell_of_tf32_products(in, *roofs, out);
  }
  if (!roofs) return;
  std::vector<size_t> steps =
      steps_where(in, [&](size_t s) { return is_fp32_product(in, s) && in.step(s).us > 0; });
  const double us = sum_us(in, steps);
  if (us < kGpuProductsWorthIt * in.run_us()) return;
  double in_half = 0;
  for (const size_t s : steps) in_half += fp32_us_in_half(in, *roofs, s);
  const bool in_parts = !is_own_gpu_run(in.profile) && std::ranges::all_of(steps, [&](size_t s) {
    return is_in_parts(in.step(s).kind);
  });
  Finding finding;
  finding.subject = "multiplying on tensor cores in half precision";
  finding.title = str("products take ", share_of_run(in, us),
                      in_parts ? " of the run in fp32, which tensor cores compute in three parts"
                               : " of the run on fp32 cores, while the tensor cores rest");
  finding.evidence = {time_evidence("products", us), time_evidence("in_half_precision", in_half),
                      count_evidence("steps", static_cast<double>(steps.size()))};
  if (is_own_gpu_run(in.profile)) {
    finding.fix = str("compute in half precision and validate the accuracy",
                      roofs->tf32 ? "; tf32 keeps values in fp32 and gains less" : "");
    finding.hint = {HintKind::Precision, "fp16"};
  } else {
    finding.fix = half_in_pytorch(in, steps, *roofs);
  }
  finding.steps = std::move(steps);
  finding.gain = predicted_gain(us - in_half, 1.3);
  finding.formula =
      str(fixed(us, 0), " us - ", fixed(in_half, 0), " us: tensor cores of capability ",
          in.profile.gpu->capability, " multiply ", fixed(roofs->half_ratio(), 0),
          " times as fast in half precision, at the part of the peak reached now; no product takes "
          "less than ",
          fixed(kShortProductUs, 1), " us");
  finding.confidence = "high";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_gpu_fp32_products = {
    .id = "gpu_fp32_products",
    .summary =
        "Products in fp64, or in fp32 or TF32 on a GPU whose tensor cores take half precision.",
    .bound = Bound::Compute,
    .on = RuleFor::Gpu,
    .check = check_gpu_fp32_products,
};

}  // namespace hone
