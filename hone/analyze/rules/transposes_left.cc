#include <algorithm>
#include "hone/analyze/ping_pong.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

// Transposes of the graph's own inputs and outputs can be had only by changing what the caller
// gives.
std::string fix_of(const Evidence& in, const std::vector<size_t>& steps) {
  for (const size_t s : steps) {
    if (s >= in.nodes.size() || !in.graph->is_input(in.nodes[s]->inputs[0])) continue;
    return str("give input '", in.nodes[s]->inputs[0]->name,
               "' in the order of axes that the first layer computes in (channels last)");
  }
  return "leave the transposes out of the model, or keep one layout through the operators around "
         "them";
}

void check_transposes_left(const Evidence& in, std::vector<Finding>& out) {
  std::vector<size_t> paired;
  for (const PingPong& pair : find_ping_pongs(in)) {
    paired.push_back(pair.there);
    paired.push_back(pair.back);
  }
  const std::vector<size_t> steps = steps_where(in, [&](size_t s) {
    return in.step(s).op == "transpose" && std::ranges::find(paired, s) == paired.end();
  });
  if (steps.empty()) return;
  const double us = sum_us(in, steps);
  out.push_back(removable(in, steps,
                          str(count_of(steps.size(), "transpose"), " left, which take ",
                              share_of_run(in, us), " of the run"),
                          fix_of(in, steps)));
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
