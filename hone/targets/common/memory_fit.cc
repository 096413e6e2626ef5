#include "hone/targets/common/memory_fit.h"

#include <algorithm>

#include "hone/base/text.h"

namespace hone {
namespace {

std::string name_of(const Node& node) {
  return node.name.empty() ? node.outputs[0]->name : node.name;
}

void take_away(Metric& metric, const std::string& why) {
  metric.value = metric.low = metric.high = std::nullopt;
  metric.note = why;
}

}  // namespace

LayerBytes most_weights(const std::vector<StepInfo>& steps) {
  LayerBytes most;
  for (const StepInfo& step : steps) {
    if (step.cost.stored_bytes > most.bytes) most = {name_of(*step.node), step.cost.stored_bytes};
  }
  return most;
}

LayerBytes most_live(const MemorySummary& memory, const std::vector<StepInfo>& steps) {
  std::vector<int64_t> change(steps.size() + 1, 0);
  for (const MemoryUse& use : memory.buffers) {
    if (use.first_step >= steps.size()) continue;
    change[use.first_step] += static_cast<int64_t>(use.bytes);
    change[std::min(use.last_step + 1, steps.size())] -= static_cast<int64_t>(use.bytes);
  }
  LayerBytes most;
  int64_t live = 0;
  for (size_t s = 0; s < steps.size(); ++s) {
    live += change[s];
    const uint64_t bytes = static_cast<uint64_t>(live) + steps[s].cost.body_live_bytes;
    if (bytes > most.bytes) most = {name_of(*steps[s].node), bytes};
  }
  return most;
}

std::string misfit_of(const std::string& device, const std::vector<MemoryDemand>& demands) {
  std::vector<std::string> misfits;
  for (const MemoryDemand& demand : demands) {
    if (demand.asked <= demand.there) continue;
    misfits.push_back(str(demand.what, " take ", human_bytes(demand.asked), ", ", device, " has ",
                          human_bytes(demand.there), " of ", demand.where));
    if (!demand.most.layer.empty()) {
      misfits.back() +=
          str(", most in '", demand.most.layer, "', ", human_bytes(demand.most.bytes));
    }
  }
  return misfits.empty() ? "" : str("does not fit: ", join(misfits, "; "));
}

std::string unknown_extents(const std::vector<StepInfo>& steps) {
  const auto count = std::ranges::count_if(steps, [](const StepInfo& s) { return !s.cost.known; });
  if (count == 0) return "";
  return str(count, count == 1 ? " layer" : " layers",
             " of unknown extent; give --shapes where inputs are open");
}

void withhold_times(const std::vector<StepInfo>& steps, ModelledRun& run) {
  const std::string why = run.misfit.empty() ? unknown_extents(steps) : run.misfit;
  if (why.empty()) return;
  take_away(run.latency, why);
  for (Metric& energy : run.energy) take_away(energy, run.misfit.empty() ? why : "does not fit");
}

}  // namespace hone
