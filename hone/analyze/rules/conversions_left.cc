#include "hone/analyze/op_kinds.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

void check_conversions_left(const Evidence& in, std::vector<Finding>& out) {
  const std::vector<size_t> steps =
      steps_where(in, [&](size_t s) { return is_conversion(in.step(s).op); });
  if (steps.empty()) return;
  const double us = sum_us(in, steps);
  out.push_back(removable(in, steps,
                          str(count_of(steps.size(), "conversion"), " between element types take ",
                              share_of_run(in, us), " of the run"),
                          "keep one element type through the operators between the conversions; "
                          "quantize both sides of an operator, or neither"));
}

}  // namespace

extern const RuleDef rule_conversions_left = {
    .id = "conversions_left",
    .summary = "Q/DQ pairs and casts that stayed operators of their own.",
    .bound = Bound::Conversion,
    .on = RuleFor::Processor,
    .check = check_conversions_left,
};

}  // namespace hone
