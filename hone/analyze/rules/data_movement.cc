#include "hone/analyze/op_kinds.h"
#include "hone/analyze/pricing.h"
#include "hone/base/short_name.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

void check_data_movement(const Evidence& in, std::vector<Finding>& out) {
  const std::vector<size_t> steps =
      steps_where(in, [&](size_t s) { return is_data_movement(in.step(s).op); });
  if (steps.empty()) return;
  double us = sum_us(in, steps);
  double compute = 0;
  for (const StepProfile& step : in.profile.steps) compute += step.macs > 0 ? step.us : 0;
  Finding finding = removable(
      in, steps,
      str(count_of(steps.size(), "step"), " only move bytes and take ", share_of_run(in, us),
          " of the run", us > compute ? ", more than all products" : ""),
      str("let the operators around '", short_name(in.step(steps[0]).name),
          "' read and write in place: pads and slices into the next operator, concatenations into "
          "the ones before"));
  finding.evidence.push_back(time_evidence("products", compute));
  finding.confidence = "medium";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_data_movement = {
    .id = "data_movement",
    .summary = "Concatenations, slices, pads and copies that only move bytes.",
    .bound = Bound::Transfer,
    .on = RuleFor::Processor,
    .check = check_data_movement,
};

}  // namespace hone
