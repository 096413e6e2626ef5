#include <algorithm>

#include "hone/analyze/npu_evidence.h"
#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

void check_npu_fallback(const Evidence& in, std::vector<Finding>& out) {
  const std::optional<Device> device = npu_of(in);
  if (!device) return;
  for (const HostIsland& island : host_islands(in, *device->npu())) {
    // Those have rules of their own.
    const bool table = device->npu()->limits.tables && is_function_island(island);
    if (island.all(only_reformats) || table) continue;
    const double npu_us = least_npu_us(*device->npu(), island);
    const double us = island.host_us + island.border_us;
    Finding finding;
    finding.title =
        str(count_of(island.steps.size(), "step"), " on the host (", share_of_run(in, us),
            " of the run with the way there and back): ", reasons_of(in, island));
    finding.evidence = {
        time_evidence("host", island.host_us),
        time_evidence("border", island.border_us),
        {.name = "at_best_on_the_npu", .value = npu_us, .unit = "us", .mode = Mode::Predicted}};
    finding.steps = island.steps;
    const std::string changes = changes_of(island);
    finding.fix = changes.empty() ? "say it with operators that the NPU has" : changes;
    finding.hint = hint_of(island);
    finding.gain = predicted_gain(std::max(0.0, us - npu_us), 1.3);
    finding.formula = str(fixed(island.host_us, 1), " us on the host + ",
                          fixed(island.border_us, 1), " us to hand over and move, less ",
                          fixed(npu_us, 1), " us on engines that are all in use");
    finding.confidence = "medium";
    out.push_back(std::move(finding));
  }
}

}  // namespace

extern const RuleDef rule_npu_fallback = {
    .id = "npu_fallback",
    .summary = "Operators that an NPU leaves to its host, with the reason and the price.",
    .bound = Bound::Fallback,
    .on = RuleFor::Npu,
    .check = check_npu_fallback,
};

}  // namespace hone
