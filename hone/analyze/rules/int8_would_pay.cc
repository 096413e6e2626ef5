#include "hone/analyze/op_kinds.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

void check_int8_would_pay(const Evidence& in, std::vector<Finding>& out) {
  if (in.profile.target != "cpu" || !in.device.kernel_reach("product", "int8")) return;
  const std::vector<size_t> steps = steps_where(in, [&](size_t s) {
    const StepKind& kind = in.step(s).kind;
    return kind.precision == Arithmetic::Fp32 && !kind.reference;
  });
  int64_t macs = 0;
  int64_t integer_macs = 0;
  for (const StepProfile& step : in.profile.steps) {
    if (step.kind.precision == Arithmetic::Int8) integer_macs += step.macs;
  }
  double narrow = 0;
  for (const size_t s : steps) {
    macs += in.step(s).macs;
    narrow += time_in_precision(in, s, "int8");
  }
  const double us = sum_us(in, steps);
  if (macs == 0 || narrow >= us) return;
  Finding finding;
  finding.subject = integer_macs > 0 ? "int8 for what is float still" : "int8 instead of fp32";
  finding.title = title_of_saving(finding.subject, (us - narrow) / in.run_us());
  finding.evidence = {time_evidence("time", us), time_evidence("in_int8", narrow)};
  finding.steps = steps;
  finding.fix = integer_macs > 0
                    ? "quantize the layers that are float still and validate the accuracy"
                    : "quantize the model with data of its own, which takes three quarters off its "
                      "weights too, and validate the accuracy";
  finding.gain = predicted_gain(us - narrow, 1.5);
  finding.formula = str(fixed(us, 1), " us now, less ", fixed(narrow, 1),
                        " us by the roofs of int8 and what its kernels reach of them");
  finding.confidence = "medium";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_int8_would_pay = {
    .id = "int8_would_pay",
    .summary = "What quantizing the whole network to int8 would bring.",
    .bound = Bound::Compute,
    .option = true,
    .on = RuleFor::Measured,
    .check = check_int8_would_pay,
};

}  // namespace hone
