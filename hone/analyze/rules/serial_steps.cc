#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

void check_serial_steps(const Evidence& in, std::vector<Finding>& out) {
  if (in.profile.threads < 2 || in.profile.target != "cpu") return;
  const std::vector<size_t> steps = steps_where(
      in, [&](size_t s) { return !in.step(s).busy && in.step(s).us > 0.01 * in.run_us(); });
  if (steps.empty()) return;
  const double us = sum_us(in, steps) * (1 - 1.0 / in.profile.threads);
  Finding finding;
  finding.title = str(count_of(steps.size(), "step"), " run on one of ", in.profile.threads,
                      " threads and take ", share_of_run(in, sum_us(in, steps)), " of the run");
  finding.evidence = {time_evidence("time", sum_us(in, steps))};
  finding.steps = steps;
  finding.fix = str("use operators that are shared between threads instead of ",
                    in.step(steps[0]).op, ", or run two inputs at a time");
  finding.gain = predicted_gain(us, 1.4);
  finding.formula = str(fixed(sum_us(in, steps), 1), " us x (1 - 1 / ", in.profile.threads, ")");
  finding.confidence = "medium";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_serial_steps = {
    .id = "serial_steps",
    .summary = "Steps that one thread runs while the others wait.",
    .bound = Bound::Imbalance,
    .on = RuleFor::Measured,
    .check = check_serial_steps,
};

}  // namespace hone
