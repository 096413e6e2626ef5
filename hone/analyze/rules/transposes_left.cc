#include <algorithm>

#include "hone/analyze/op_kinds.h"
#include "hone/analyze/ping_pong.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"

namespace hone {
namespace {

void check_transposes_left(const Evidence& in, std::vector<Finding>& out) {
  std::vector<size_t> elsewhere;
  for (const PingPong& pair : find_ping_pongs(in)) {
    elsewhere.push_back(pair.there);
    elsewhere.push_back(pair.back);
  }
  const std::vector<size_t> steps = steps_where(in, [&](size_t s) {
    return in.step(s).op == "transpose" && !reads_an_input(in, s) &&
           std::ranges::find(elsewhere, s) == elsewhere.end();
  });
  if (steps.empty()) return;
  const double us = sum_us(in, steps);
  out.push_back(removable(in, steps,
                          str(count_of(steps.size(), "transpose"), " left, which take ",
                              share_of_run(in, us), " of the run"),
                          "leave the transposes out of the model, or keep one layout through the "
                          "operators around them"));
}

}  // namespace

extern const RuleDef rule_transposes_left = {
    .id = "transposes_left",
    .summary = "Transposes that no pass could move away or cancel.",
    .bound = Bound::Layout,
    .on = RuleFor::Processor,
    .check = check_transposes_left,
};

}  // namespace hone
