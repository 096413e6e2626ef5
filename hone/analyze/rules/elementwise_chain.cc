#include <algorithm>
#include "hone/analyze/op_kinds.h"
#include "hone/analyze/pricing.h"
#include "hone/base/short_name.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

// The step that alone reads what `s` writes, if both are element-wise and of one size.
size_t next_in_chain(const Evidence& in, size_t s) {
  const Value* value = in.nodes[s]->outputs[0];
  if (value->users.size() != 1 || in.graph->is_output(value)) return Evidence::kNone;
  for (size_t n = s + 1; n < in.steps(); ++n) {
    if (in.nodes[n] != value->users[0].node) continue;
    const bool same_size = in.step(n).written_bytes == in.step(s).written_bytes;
    return is_elementwise(in.step(n).op) && same_size ? n : Evidence::kNone;
  }
  return Evidence::kNone;
}

std::vector<size_t> chain_from(const Evidence& in, size_t s) {
  if (in.nodes.empty() || !is_elementwise(in.step(s).op)) return {};
  std::vector<size_t> chain;
  for (; s != Evidence::kNone; s = next_in_chain(in, s)) chain.push_back(s);
  return chain;
}

void check_elementwise_chain(const Evidence& in, std::vector<Finding>& out) {
  if (in.profile.gpu) return;  // Told of all chains together, by gpu_elementwise_chain.
  std::vector<bool> taken(in.steps());
  for (size_t s = 0; s < in.steps(); ++s) {
    if (taken[s]) continue;
    std::vector<size_t> chain = chain_from(in, s);
    for (const size_t step : chain) taken[step] = true;
    if (chain.size() < 2) continue;
    const double us = sum_us(in, chain);
    double longest = 0;
    for (const size_t step : chain) longest = std::max(longest, in.step(step).us);
    Finding finding;
    finding.title = str(chain.size(), " element-wise steps in a row take ", share_of_run(in, us),
                        " of the run; one pass would do");
    finding.evidence = {time_evidence("time", us), time_evidence("longest_of_them", longest)};
    finding.steps = chain;
    finding.fix =
        str("merge '", short_name(in.step(chain[0]).name), "' to '",
            short_name(in.step(chain.back()).name),
            "' into one operator: fold scales and offsets into the weights before or after");
    finding.gain = predicted_gain(us - longest, 1.3);
    finding.formula = str(fixed(us, 1), " us now, less ", fixed(longest, 1),
                          " us for one pass as long as the longest of them");
    finding.confidence = "medium";
    out.push_back(std::move(finding));
  }
}

}  // namespace

extern const RuleDef rule_elementwise_chain = {
    .id = "elementwise_chain",
    .summary = "Element-wise steps one behind the other, each a pass over memory.",
    .bound = Bound::Memory,
    .check = check_elementwise_chain,
};

}  // namespace hone
