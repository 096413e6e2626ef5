#include <algorithm>
#include <array>

#include "hone/analyze/gpu_evidence.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/profile/import/gpu_kernel.h"

namespace hone {
namespace {

constexpr double kGpuProductsWorthIt = 0.05;  // Part of the run.
// Products that reach less of what the cores can do are held back by something else: half as many
// bytes is all that half precision gives them.
constexpr double kBoundByCores = 0.25;
// What a product of few operations takes on a large GPU, in us: loads, sums and stores one behind the
// other. Half of those of a ResNet-50 on one image take less on an H200, in half precision.
constexpr double kShortProductUs = 3.5;

// Multiply-adds in fp32 that one multiprocessor does in a clock, how often as many its tensor cores
// do in half precision, and whether they take TF32, in which it is half of that: as NVIDIA's papers
// on the architectures have it, dense, sums in fp32.
struct GpuCores {
  std::string_view capability;
  double fp32_lanes;
  double half_ratio;
  bool tf32;
};
constexpr std::array kGpuCores = {
    GpuCores{"7.0", 64, 8, false}, GpuCores{"7.2", 64, 8, false},  GpuCores{"7.5", 64, 8, false},
    GpuCores{"8.0", 64, 16, true}, GpuCores{"8.6", 128, 4, true},  GpuCores{"8.7", 128, 4, true},
    GpuCores{"8.9", 128, 4, true}, GpuCores{"9.0", 128, 15, true}, GpuCores{"10.0", 128, 28, true}};

const GpuCores* cores_of(const Profile& profile) {
  const std::string capability = profile.gpu ? profile.gpu->capability : "";
  for (const GpuCores& cores : kGpuCores) {
    if (cores.capability == capability) return &cores;
  }
  return nullptr;
}

// Part of what its fp32 cores could do in the time; 1 where the shapes are not known.
double reached(const Evidence& in, const GpuCores& cores, size_t s) {
  constexpr double kClockPerUs = 1700;  // Of cards that work hard; within a fifth of all of them.
  const StepProfile& step = in.step(s);
  const double processors = static_cast<double>(in.profile.gpu->processors);
  if (step.macs == 0 || processors == 0) return 1;
  return static_cast<double>(step.macs) / (step.us * processors * cores.fp32_lanes * kClockPerUs);
}

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
  const GpuCores* cores = cores_of(in.profile);
  if (cores == nullptr) return;
  std::vector<size_t> steps =
      steps_where(in, [&](size_t s) { return is_fp32_product(in, s) && in.step(s).us > 0; });
  const double us = sum_us(in, steps);
  if (us < kGpuProductsWorthIt * in.run_us()) return;
  double in_half = 0;
  for (const size_t s : steps) {
    const bool bound = reached(in, *cores, s) >= kBoundByCores;
    const double us_now = in.step(s).us;
    in_half +=
        std::max(us_now / (bound ? cores->half_ratio : 2), std::min(us_now, kShortProductUs));
  }
  Finding finding;
  finding.subject = "multiplying on tensor cores in half precision";
  finding.title = str("products take ", share_of_run(in, us),
                      " of the run on fp32 cores, while the tensor cores rest");
  finding.evidence = {time_evidence("products", us), time_evidence("in_half_precision", in_half),
                      count_evidence("steps", static_cast<double>(steps.size()))};
  finding.steps = std::move(steps);
  if (is_own_gpu_run(in.profile)) {
    finding.fix = "compute in half precision and validate the accuracy";
    finding.hint = {HintKind::Precision, "fp16"};
  } else {
    finding.fix =
        str("compute in half precision (torch.autocast, or the model in fp16 or bf16)",
            cores->tf32 ? "; allowing TF32 (torch.set_float32_matmul_precision('high')) keeps fp32 "
                          "values and gains nearly as much"
                        : "");
  }
  finding.gain = predicted_gain(us - in_half, 1.3);
  finding.formula =
      str(fixed(us, 0), " us - ", fixed(in_half, 0), " us: tensor cores of capability ",
          cores->capability, " multiply ", fixed(cores->half_ratio, 0),
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
