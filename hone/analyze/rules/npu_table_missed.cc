#include <algorithm>

#include "hone/analyze/npu_evidence.h"
#include "hone/analyze/op_kinds.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

std::string function_of(const HostIsland& island) {
  std::vector<std::string> ops;
  for (const Node* node : island.nodes) {
    if (is_elementwise(node->op)) ops.push_back(node->op);
  }
  return join(ops, " ");
}

// The largest of what it computes, a table's byte for each element.
double missed_table_us(const NpuSpec& npu, const HostIsland& island) {
  double us = 0;
  for (const Node* node : island.nodes) us = std::max(us, least_npu_us(npu, *node));
  return us;
}

void check_npu_table_missed(const Evidence& in, std::vector<Finding>& out) {
  const std::optional<Device> device = npu_of(in);
  if (!device || !device->npu()->limits.tables) return;
  for (const HostIsland& island : host_islands(in, *device->npu())) {
    if (!is_function_island(island)) continue;
    const double on_npu = missed_table_us(*device->npu(), island);
    const double us = island.host_us + island.border_us;
    Finding finding;
    finding.title = str(function_of(island), " of one value is computed on the host (",
                        share_of_run(in, us), " of the run); the NPU has tables for that");
    finding.evidence = {
        time_evidence("host", island.host_us),
        time_evidence("border", island.border_us),
        {.name = "as_a_table", .value = on_npu, .unit = "us", .mode = Mode::Predicted}};
    finding.steps = island.steps;
    finding.fix = "quantize what goes in and what comes out to 8 bits: it becomes one table of 256";
    finding.hint = {HintKind::QuantizedModel, in.profile.target};
    finding.gain = predicted_gain(std::max(0.0, us - on_npu), 1.3);
    finding.formula =
        str(fixed(island.host_us, 1), " us on the host + ", fixed(island.border_us, 1),
            " us to hand over and move, less ", fixed(on_npu, 1), " us for a table");
    finding.confidence = "medium";
    out.push_back(std::move(finding));
  }
}

}  // namespace

extern const RuleDef rule_npu_table_missed = {
    .id = "npu_table_missed",
    .summary = "Functions of one value that stay on the host though a table would do on the NPU.",
    .bound = Bound::Fallback,
    .on = RuleFor::Npu,
    .check = check_npu_table_missed,
};

}  // namespace hone
