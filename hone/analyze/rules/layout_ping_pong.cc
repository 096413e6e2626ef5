#include <algorithm>
#include "hone/analyze/ping_pong.h"
#include "hone/analyze/pricing.h"
#include "hone/base/short_name.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

void check_layout_ping_pong(const Evidence& in, std::vector<Finding>& out) {
  std::vector<size_t> steps;
  for (const PingPong& pair : find_ping_pongs(in)) {
    steps.push_back(pair.there);
    steps.push_back(pair.back);
  }
  if (steps.empty()) return;
  std::ranges::sort(steps);
  steps.erase(std::ranges::unique(steps).begin(), steps.end());
  const double us = sum_us(in, steps);
  out.push_back(removable(
      in, steps, str("transposes there and back take ", share_of_run(in, us), " of the run"),
      str("compute '", short_name(in.step(steps[0] + 1).name),
          "' and what follows it in the layout of the rest, and leave both transposes out")));
}

}  // namespace

extern const RuleDef rule_layout_ping_pong = {
    .id = "layout_ping_pong",
    .summary = "Elements are moved into another order and back again.",
    .bound = Bound::Layout,
    .on = RuleFor::Processor,
    .check = check_layout_ping_pong,
};

}  // namespace hone
