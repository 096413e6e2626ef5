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
// How often as long Hone's own kernels in 16 bits take there: two layers of 256 channels on 8 images
// of 56 x 56. The tensor cores could be twice as fast.
constexpr double kInt8Ratio = 1.25;
// What they reach at most there, of what tensor cores do in 16 bits: libraries, which have no kernels
// that round as integers do here, reach more in 16 bits.
constexpr double kInt8Reach = 0.53;

bool could_be_int8(const StepProfile& step) {
  const bool floats =
      step.kind.precision == Arithmetic::Fp32 || step.kind.precision == Arithmetic::Tf32 ||
      step.kind.precision == Arithmetic::Fp16 || step.kind.precision == Arithmetic::Bf16;
  return floats && step.kind.family == StepFamily::Product && step.weight_bytes > 0 &&
         !step.kind.on_host && step.us > 0;
}

double us_in_int8(const GpuRoofs& roofs, const GpuTimeline& gpu, const StepProfile& step) {
  const double by_cores =
      gpu.processors == 0 ? 0 : static_cast<double>(step.macs) / (kInt8Reach * roofs.half_macs);
  const double narrow = std::max(gpu_us_in_half(roofs, gpu, step) / kInt8Ratio, by_cores);
  return std::max(narrow, kShortInt8Us);
}

void check_gpu_int8_would_pay(const Evidence& in, std::vector<Finding>& out) {
  const std::optional<GpuRoofs> roofs = gpu_roofs(*in.profile.gpu);
  if (!is_own_gpu_run(in.profile) || !roofs) return;
  double narrow = 0;
  std::vector<size_t> steps = steps_where(in, [&](size_t s) {
    if (!could_be_int8(in.step(s))) return false;
    const double us = us_in_int8(*roofs, *in.profile.gpu, in.step(s));
    const bool pays = us < in.step(s).us;
    narrow += pays ? us : 0;
    return pays;
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
  finding.formula =
      str(fixed(us, 1), " us now, less ", fixed(narrow, 1), " us: kernels in int8 take 1 / ",
          fixed(kInt8Ratio, 2), " of what those in 16 bits take, and no product less than ",
          fixed(kShortInt8Us, 1), " us or more than ", fixed(100 * kInt8Reach, 0),
          " % of what tensor cores do in 16 bits");
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
