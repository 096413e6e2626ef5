#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

void check_batch_norm_left(const Evidence& in, std::vector<Finding>& out) {
  const std::vector<size_t> steps =
      steps_where(in, [&](size_t s) { return in.step(s).op == "batch_norm"; });
  if (steps.empty()) return;
  const double us = sum_us(in, steps);
  out.push_back(removable(
      in, steps,
      str(count_of(steps.size(), "batch normalization"), " left, which take ", share_of_run(in, us),
          " of the run"),
      "put them right behind a convolution, before its activation, where they fold away"));
}

}  // namespace

extern const RuleDef rule_batch_norm_left = {
    .id = "batch_norm_left",
    .summary = "Batch normalizations that could not be folded into a convolution.",
    .bound = Bound::Memory,
    .check = check_batch_norm_left,
};

}  // namespace hone
