#include <algorithm>

#include "hone/analyze/gpu_evidence.h"
#include "hone/analyze/gpu_roofs.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

constexpr double kGpuInt8WorthIt = 0.05;  // Part of the run.
// Layers of a ResNet-50 on one image take 3.3 us in int8 on an H200, however few operations.
constexpr double kShortInt8Us = 3.3;
// Of what tensor cores could do; below it, a product waits for something else, and only its bytes
// shrink.
constexpr double kHeldByCores = 0.25;

bool could_be_int8(const StepProfile& step) {
  const bool floats = step.kind.precision == Arithmetic::Fp32 ||
                      step.kind.precision == Arithmetic::Fp16 ||
                      step.kind.precision == Arithmetic::Bf16;
  return floats && step.kind.family == StepFamily::Product && step.weight_bytes > 0 &&
         !step.kind.on_host && step.us > 0;
}

double us_in_int8(const GpuRoofs& roofs, const StepProfile& step) {
  const double roof = roofs.macs(step.kind.precision);
  const bool held = static_cast<double>(step.macs) >= kHeldByCores * roof * step.us;
  const double bytes_ratio = step.kind.precision == Arithmetic::Fp32 ? 4 : 2;
  const double ratio = held ? roofs.int8_macs / roof : bytes_ratio;
  return std::max(step.us / ratio, std::min(step.us, kShortInt8Us));
}

void check_gpu_int8_would_pay(const Evidence& in, std::vector<Finding>& out) {
  const std::optional<GpuRoofs> roofs = gpu_roofs(*in.profile.gpu);
  if (!is_own_gpu_run(in.profile) || !roofs) return;
  double narrow = 0;
  std::vector<size_t> steps = steps_where(in, [&](size_t s) {
    if (!could_be_int8(in.step(s))) return false;
    narrow += us_in_int8(*roofs, in.step(s));
    return true;
  });
  const double us = sum_us(in, steps);
  if (us - narrow < kGpuInt8WorthIt * in.run_us()) return;
  Finding finding;
  finding.subject = "multiplying in int8";
  finding.title = title_of_saving(finding.subject, (us - narrow) / in.run_us());
  finding.evidence = {time_evidence("products", us), time_evidence("in_int8", narrow)};
  finding.steps = std::move(steps);
  finding.fix = "quantize the model with data of its own and validate the accuracy";
  finding.gain = predicted_gain(us - narrow, 1.5);
  finding.formula = str(fixed(us, 1), " us now, less ", fixed(narrow, 1),
                        " us at the part of the tensor cores' peak reached now, or with fewer "
                        "bytes; no product takes less than ",
                        fixed(kShortInt8Us, 1), " us");
  finding.confidence = "medium";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_gpu_int8_would_pay = {
    .id = "gpu_int8_would_pay",
    .summary = "What quantizing the network to int8 would bring on a GPU.",
    .bound = Bound::Compute,
    .option = true,
    .on = RuleFor::Gpu,
    .check = check_gpu_int8_would_pay,
};

}  // namespace hone
