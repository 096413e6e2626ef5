#include <algorithm>

#include "hone/analyze/npu_evidence.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

// Values that come from outside or leave are moved, whoever reads them.
bool at_border(const Evidence& in, const Node& node) {
  const auto outer = [&](const Value* value) {
    return value != nullptr && (in.graph->is_input(value) || in.graph->is_output(value));
  };
  return std::ranges::any_of(node.inputs, outer) || std::ranges::any_of(node.outputs, outer);
}

double engines_us(const Evidence& in, size_t s) {
  if (at_border(in, *in.nodes[s]))
    return busy_us(in, s, &sim::EngineBusy::vector) + busy_us(in, s, &sim::EngineBusy::matrix);
  return in.step(s).us - wait_us(in, s, sim::Stall::Dispatch);
}

bool at_input(const Evidence& in, const std::vector<size_t>& steps) {
  for (const size_t s : steps) {
    for (const Value* input : in.nodes[s]->inputs) {
      if (input != nullptr && in.graph->is_input(input)) return true;
    }
  }
  return false;
}

void check_npu_reformat(const Evidence& in, std::vector<Finding>& out) {
  const std::optional<Device> device = npu_of(in);
  if (!device) return;
  std::vector<size_t> steps;
  double host = 0, border = 0;
  for (const HostIsland& island : host_islands(in, *device->npu())) {
    if (!island.all(only_reformats)) continue;
    steps.insert(steps.end(), island.steps.begin(), island.steps.end());
    host += island.host_us;
    border += island.border_us;
  }
  double engines = 0;
  for (size_t s = 0; s < in.nodes.size(); ++s) {
    if (in.step(s).kind.on_host || !only_reformats(*in.nodes[s])) continue;
    steps.push_back(s);
    engines += engines_us(in, s);
  }
  if (steps.empty()) return;
  const double us = host + border + engines;
  Finding finding;
  finding.title = str(count_of(steps.size(), "step"), " only convert or move elements and take ",
                      share_of_run(in, us), " of the run");
  finding.evidence = {time_evidence("host", host), time_evidence("border", border),
                      time_evidence("engines", engines)};
  finding.fix = at_input(in, steps)
                    ? "give inputs, and take outputs, in the type, scale and order of axes that "
                      "the layers next to them compute in"
                    : "give neighbours one scale and one order of axes, so that nothing is between "
                      "them";
  finding.steps = std::move(steps);
  finding.gain = predicted_gain(us, 1.3);
  finding.formula = str(fixed(host, 1), " us on the host + ", fixed(border, 1),
                        " us to hand over and move + ", fixed(engines, 1), " us on engines");
  finding.confidence = "high";
  out.push_back(std::move(finding));
}

}  // namespace

extern const RuleDef rule_npu_reformat = {
    .id = "npu_reformat",
    .summary = "Transposes, copies and conversions around what an NPU computes.",
    .bound = Bound::Conversion,
    .on = RuleFor::Npu,
    .check = check_npu_reformat,
};

}  // namespace hone
