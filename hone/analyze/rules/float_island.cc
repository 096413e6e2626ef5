#include "hone/analyze/op_kinds.h"
#include "hone/analyze/pricing.h"
#include "hone/base/short_name.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

void check_float_island(const Evidence& in, std::vector<Finding>& out) {
  int64_t integer = 0;
  int64_t all = 0;
  for (const StepProfile& step : in.profile.steps) {
    all += step.macs;
    if (step.kind.precision == Arithmetic::Int8) integer += step.macs;
  }
  if (all == 0 || integer * 10 < all * 3) return;
  const std::vector<size_t> floats = steps_where(in, [&](size_t s) {
    const StepProfile& step = in.step(s);
    return (step.kind.precision == Arithmetic::Fp32 || step.kind.precision == Arithmetic::Fp16) &&
           !is_conversion(step.op);
  });
  const std::vector<size_t> conversions =
      steps_where(in, [&](size_t s) { return is_conversion(in.step(s).op); });
  if (floats.empty() || conversions.size() < 2) return;
  const double float_us = sum_us(in, floats);
  double as_integers = 0;
  for (const size_t s : floats) as_integers += time_in_precision(in, s, "int8");
  const double conversion_us = sum_us(in, conversions);
  Finding finding;
  finding.title = str(count_of(floats.size(), "float step"), " and ",
                      count_of(conversions.size(), "conversion"), " in an int8 network take ",
                      share_of_run(in, float_us + conversion_us), " of the run");
  finding.evidence = {time_evidence("float", float_us), time_evidence("conversions", conversion_us),
                      time_evidence("as_integers", as_integers)};
  finding.steps = floats;
  finding.steps.insert(finding.steps.end(), conversions.begin(), conversions.end());
  finding.fix = str("quantize '", short_name(in.step(floats[0]).name), "' too");
  finding.gain = predicted_gain(float_us + conversion_us - as_integers, 1.3);
  finding.formula = str(fixed(float_us, 1), " + ", fixed(conversion_us, 1), " us now, less ",
                        fixed(as_integers, 1), " us as int8");
  finding.confidence = "medium";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_float_island = {
    .id = "float_island",
    .summary = "Float operators inside a network that computes in integers.",
    .bound = Bound::Conversion,
    .on = RuleFor::Measured,
    .check = check_float_island,
};

}  // namespace hone
