#include "hone/analyze/op_kinds.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

void check_wide_precision(const Evidence& in, std::vector<Finding>& out) {
  if (in.options.precision != Precision::F32 || in.profile.target != "cpu") return;
  for (const std::string precision : {"fp16", "bf16"}) {
    if (!in.device.kernel_reach("product", precision)) continue;
    const std::vector<size_t> steps = steps_narrowed(in, precision);
    const double us = sum_us(in, steps);
    const double saved = saved_in_precision(in, precision);
    if (saved <= 0) continue;
    Finding finding;
    finding.subject = str("computing in ", precision, " instead of fp32");
    finding.title = title_of_saving(finding.subject, saved / in.run_us());
    finding.evidence = {time_evidence("time", us),
                        time_evidence(str("in_", precision), us - saved)};
    finding.steps = steps;
    finding.fix = str("compute in ", precision, " and validate the accuracy");
    finding.hint = {HintKind::Precision, precision};
    finding.gain = predicted_gain(saved, 1.5);
    finding.formula = str(fixed(us, 1), " us now, less ", fixed(us - saved, 1),
                          " us by the roofs of ", precision, " and what its kernels reach of them");
    finding.confidence = "medium";
    out.push_back(std::move(finding));
  }
}

}  // namespace

extern const RuleDef rule_wide_precision = {
    .id = "wide_precision",
    .summary = "Float arithmetic on a machine that computes faster in 16 bits.",
    .bound = Bound::Compute,
    .option = true,
    .on = RuleFor::Measured,
    .check = check_wide_precision,
};

}  // namespace hone
