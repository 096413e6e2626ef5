#include "hone/analyze/gpu_evidence.h"
#include "hone/analyze/pricing.h"
#include "hone/base/short_name.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

constexpr double kGpuPassWorthIt = 0.01;  // Part of the run.

bool is_lone_pass(const Evidence& in, size_t s) {
  const StepKind& kind = in.step(s).kind;
  if (kind.on_host || kind.family != StepFamily::Elementwise) return false;
  const Node& node = *in.nodes[s];
  // Behind a product whose result nobody else reads; chains of such steps have a rule of their own.
  const size_t from = node.inputs.empty() ? Evidence::kNone : in.producer_of(node.inputs[0]);
  return from != Evidence::kNone && in.step(from).kind.family == StepFamily::Product &&
         node.inputs[0]->users.size() == 1 && !in.graph->is_output(node.inputs[0]);
}

// The kernel in front has the values at hand: to write them once, changed, costs what writing them
// costs now.
void check_gpu_lone_pass(const Evidence& in, std::vector<Finding>& out) {
  if (!is_own_gpu_run(in.profile) || in.graph == nullptr) return;
  const std::vector<size_t> steps = steps_where(in, [&](size_t s) { return is_lone_pass(in, s); });
  const double us = sum_us(in, steps);
  if (steps.empty() || us < kGpuPassWorthIt * in.run_us()) return;
  out.push_back(removable(
      in, steps,
      str(count_of(steps.size(), "element-wise step"), steps.size() == 1 ? " is" : " are",
          " a pass of its own over what a product has just written: ", share_of_run(in, us),
          " of the run"),
      str("say '", short_name(in.step(steps[0]).name),
          "' as what the product's kernel does itself: a bias, a scale in its weights, or one "
          "activation that Hone fuses")));
}

}  // namespace

extern const RuleDef rule_gpu_lone_pass = {
    .id = "gpu_lone_pass",
    .summary = "Element-wise steps behind a product of the GPU that its kernel did not take in.",
    .bound = Bound::Memory,
    .on = RuleFor::Gpu,
    .check = check_gpu_lone_pass,
};

}  // namespace hone
