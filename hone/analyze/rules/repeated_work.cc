#include <set>

#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/passes/common_key.h"

namespace hone {
namespace {

void check_repeated_work(const Evidence& in, std::vector<Finding>& out) {
  std::vector<size_t> steps;
  std::set<std::string> seen;
  for (size_t s = 0; s < in.nodes.size(); ++s) {
    const std::optional<std::string> key = computation_key(*in.graph, *in.nodes[s]);
    if (key && !seen.insert(*key).second) steps.push_back(s);
  }
  if (steps.empty()) return;
  const double us = sum_us(in, steps);
  out.push_back(
      removable(in, steps,
                str(count_of(steps.size(), "step"), " repeat earlier ones and take ",
                    share_of_run(in, us), " of the run"),
                "read the earlier result; pass remove_common does that unless it is switched off"));
}

}  // namespace

extern const RuleDef rule_repeated_work = {
    .id = "repeated_work",
    .summary = "The same operator on the same values, computed more than once.",
    .bound = Bound::Compute,
    .check = check_repeated_work,
};

}  // namespace hone
