#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

void check(const Evidence& in, std::vector<Finding>& out) {
  const std::vector<size_t> steps =
      steps_where(in, [&](size_t s) { return in.step(s).op == "batch_norm"; });
  if (steps.empty()) return;
  const double us = sum_us(in, steps);
  Finding finding;
  finding.title = str(count_of(steps.size(), "batch normalization"), " left take ",
                      share_of_run(in, us), " of the run");
  finding.evidence = {time_evidence("time", us)};
  finding.steps = steps;
  finding.fix = "put them right behind a convolution, before its activation, where they fold away";
  finding.gain = predicted_gain(us, 1.15);
  finding.formula = str("all of the ", fixed(us, 1), " us that they take");
  finding.confidence = "high";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_batch_norm_left = {
    .id = "batch_norm_left",
    .summary = "Batch normalizations that could not be folded into a convolution.",
    .bound = Bound::Memory,
    .check = check,
};

}  // namespace hone
