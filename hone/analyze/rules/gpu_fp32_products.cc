#include <algorithm>

#include "hone/analyze/gpu_evidence.h"
#include "hone/analyze/gpu_roofs.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/profile/import/gpu_kernel.h"

namespace hone {
namespace {

constexpr double kGpuProductsWorthIt = 0.05;  // Part of the run.
// Of Hone's own runs the kind tells; of others', the name of the kernel.
bool is_fp32_product(const Evidence& in, size_t s) {
  const StepKind& kind = in.step(s).kind;
  if (is_own_gpu_run(in.profile)) {
    return kind.family == StepFamily::Product && kind.precision == Arithmetic::Fp32 &&
           !kind.on_host;
  }
  const bool half = kind.precision == Arithmetic::Fp16 || kind.precision == Arithmetic::Bf16;
  return kind.variant == kOnFp32Cores && !half;
}

void check_gpu_fp32_products(const Evidence& in, std::vector<Finding>& out) {
  const std::optional<GpuRoofs> roofs = gpu_roofs(*in.profile.gpu);
  if (!roofs) return;
  std::vector<size_t> steps =
      steps_where(in, [&](size_t s) { return is_fp32_product(in, s) && in.step(s).us > 0; });
  const double us = sum_us(in, steps);
  if (us < kGpuProductsWorthIt * in.run_us()) return;
  double in_half = 0;
  for (const size_t s : steps) in_half += gpu_us_in_half(*roofs, *in.profile.gpu, in.step(s));
  Finding finding;
  finding.subject = "multiplying on tensor cores in half precision";
  finding.title = str("products take ", share_of_run(in, us),
                      " of the run on fp32 cores, while the tensor cores rest");
  finding.evidence = {time_evidence("products", us), time_evidence("in_half_precision", in_half),
                      count_evidence("steps", static_cast<double>(steps.size()))};
  finding.steps = std::move(steps);
  if (is_own_gpu_run(in.profile)) {
    finding.fix = str("compute in half precision and validate the accuracy",
                      roofs->tf32 ? "; tf32 keeps values in fp32 and gains less" : "");
    finding.hint = {HintKind::Precision, "fp16"};
  } else {
    finding.fix =
        str("compute in half precision (torch.autocast, or the model in fp16 or bf16)",
            roofs->tf32 ? "; allowing TF32 (torch.set_float32_matmul_precision('high')) keeps fp32 "
                          "values and gains nearly as much"
                        : "");
  }
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
    .summary = "Products on fp32 cores of a GPU that has tensor cores.",
    .bound = Bound::Compute,
    .on = RuleFor::Gpu,
    .check = check_gpu_fp32_products,
};

}  // namespace hone
