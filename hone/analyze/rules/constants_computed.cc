#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/ops/op_def.h"

namespace hone {
namespace {

// Constants that were packed are let go: what is neither computed nor given was one.
bool is_constant(const Evidence& in, const Value& value) {
  return value.constant || (value.producer == nullptr && !in.graph->is_input(&value));
}

void check_constants_computed(const Evidence& in, std::vector<Finding>& out) {
  std::vector<bool> constant(in.steps());
  for (size_t s = 0; s < in.nodes.size(); ++s) {
    bool all = !in.nodes[s]->inputs.empty();
    for (const Value* input : in.nodes[s]->inputs) {
      if (input == nullptr || is_constant(in, *input)) continue;
      const size_t from = in.producer_of(input);
      all = all && from != Evidence::kNone && constant[from];
    }
    const OpDef* op = find_op(in.nodes[s]->op);
    constant[s] = all && op != nullptr && !op->random;
  }
  const std::vector<size_t> steps = steps_where(in, [&](size_t s) { return constant[s]; });
  if (steps.empty()) return;
  const double us = sum_us(in, steps);
  out.push_back(removable(in, steps,
                          str(count_of(steps.size(), "step"),
                              " compute constants in every run: ", share_of_run(in, us)),
                          "compute them once and store the result in the model"));
}

}  // namespace

extern const RuleDef rule_constants_computed = {
    .id = "constants_computed",
    .summary = "Steps that compute the same constants in every run.",
    .bound = Bound::Compute,
    .check = check_constants_computed,
};

}  // namespace hone
