#include <algorithm>
#include <map>
#include <unordered_map>

#include "hone/analyze/gpu_evidence.h"
#include "hone/analyze/pricing.h"
#include "hone/base/short_name.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

constexpr double kGpuSplitWorthIt = 0.05;  // Part of the run.

// How many steps one behind the other lead to each. Those of the same depth do not read each other.
std::vector<size_t> depths_of(const Evidence& in) {
  std::unordered_map<const Node*, size_t> depth;
  for (const Node* node : in.graph->nodes()) {
    size_t deepest = 0;
    for (const Value* input : node->inputs) {
      if (input == nullptr || input->producer == nullptr) continue;
      deepest = std::max(deepest, depth[input->producer] + 1);
    }
    depth[node] = deepest;
  }
  std::vector<size_t> depths;
  for (const Node* node : in.nodes) depths.push_back(depth[node]);
  return depths;
}

// Steps that do the same, side by side, each too small to fill the GPU.
std::vector<std::vector<size_t>> alike_steps(const Evidence& in) {
  const std::vector<size_t> depths = depths_of(in);
  std::map<std::string, std::vector<size_t>> groups;
  for (size_t s = 0; s < in.nodes.size(); ++s) {
    const StepProfile& step = in.step(s);
    if (step.kind.on_host || waves_of(in, s).value_or(1) >= 1) continue;
    const Value* input = in.nodes[s]->inputs.empty() ? nullptr : in.nodes[s]->inputs[0];
    const std::string read = input == nullptr ? "" : text_of(input->type.tensor);
    groups[str(step.op, " ", read, " ", step.output, " ", depths[s])].push_back(s);
  }
  std::vector<std::vector<size_t>> alike;
  for (auto& [key, steps] : groups) {
    if (steps.size() > 1) alike.push_back(std::move(steps));
  }
  return alike;
}

// Together they take what their blocks need: of one of them, as often as they fill the GPU.
double together_us(const Evidence& in, const std::vector<size_t>& steps) {
  double longest = 0;
  double filled = 0;
  for (const size_t s : steps) {
    longest = std::max(longest, in.step(s).us);
    filled += waves_of(in, s).value_or(1);
  }
  return longest * std::max(1.0, filled);
}

void check_gpu_split_work(const Evidence& in, std::vector<Finding>& out) {
  if (!is_own_gpu_run(in.profile) || in.graph == nullptr) return;
  std::vector<size_t> steps;
  double together = 0;
  const std::vector<std::vector<size_t>> groups = alike_steps(in);
  for (const std::vector<size_t>& group : groups) {
    steps.insert(steps.end(), group.begin(), group.end());
    together += together_us(in, group);
  }
  const double us = sum_us(in, steps);
  if (us - together < kGpuSplitWorthIt * in.run_us()) return;
  std::ranges::sort(steps);
  Finding finding;
  finding.title =
      str(steps.size(),
          " kernels too small for the GPU do the same side by side: ", share_of_run(in, us),
          " of the run; ", groups.size(), groups.size() == 1 ? " would do" : " of them would do");
  finding.evidence = {time_evidence("time", us), time_evidence("together", together),
                      count_evidence("kernels", static_cast<double>(steps.size())),
                      count_evidence("groups", static_cast<double>(groups.size()))};
  finding.fix = str("compute '", short_name(in.step(steps[0]).name),
                    "' and its like as one: one layer of all their channels, a group each, or one "
                    "batch");
  finding.steps = std::move(steps);
  finding.gain = predicted_gain(us - together, 1.5);
  finding.formula = str(fixed(us, 1), " us one behind the other, less ", fixed(together, 1),
                        " us for one of each kind, as often as all of them fill the GPU");
  finding.confidence = "medium";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_gpu_split_work = {
    .id = "gpu_split_work",
    .summary = "Small kernels of a GPU that do the same side by side and could be one.",
    .bound = Bound::SmallWork,
    .on = RuleFor::Gpu,
    .check = check_gpu_split_work,
};

}  // namespace hone
