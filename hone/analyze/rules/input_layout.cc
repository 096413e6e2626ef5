#include "hone/analyze/op_kinds.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"

namespace hone {
namespace {

void check_input_layout(const Evidence& in, std::vector<Finding>& out) {
  const std::vector<size_t> steps = steps_where(
      in, [&](size_t s) { return in.step(s).op == "transpose" && reads_an_input(in, s); });
  if (steps.empty()) return;
  const double us = sum_us(in, steps);
  out.push_back(removable(
      in, steps,
      str(count_of(steps.size(), "input"),
          " brought into the order of axes that layers compute in: ", share_of_run(in, us),
          " of the run"),
      str("give input '", in.nodes[steps[0]]->inputs[0]->name,
          "' in the order of axes that the first layer computes in (channels last)")));
}

}  // namespace

extern const RuleDef rule_input_layout = {
    .id = "input_layout",
    .summary = "Inputs whose axes are put into another order in every run.",
    .bound = Bound::Layout,
    .on = RuleFor::Processor,
    .check = check_input_layout,
};

}  // namespace hone
