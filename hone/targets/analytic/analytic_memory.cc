#include "hone/targets/analytic/analytic_memory.h"

#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/targets/common/memory_fit.h"

namespace hone {
namespace {

std::vector<MemoryDemand> demands_of(const AnalyticSpec& spec, uint64_t weights,
                                     const LayerBytes& heaviest, const LayerBytes& live) {
  const auto ram = static_cast<uint64_t>(spec.memory_bytes);
  if (spec.flash) {
    const auto flash = static_cast<uint64_t>(spec.flash->bytes);
    return {{"weights", weights, "flash", flash, heaviest},
            {"activations", live.bytes, "RAM", ram, live}};
  }
  return {{"weights and activations", weights + live.bytes, "memory", ram,
           heaviest.bytes > live.bytes ? heaviest : live}};
}

Metric exact_bytes(std::string name, uint64_t bytes) {
  return {.name = std::move(name),
          .value = static_cast<double>(bytes),
          .unit = "B",
          .mode = Mode::Exact};
}

// Where more than half of a memory is asked for it matters that a system and a runtime need some, too.
void add_tight_memories(const std::vector<MemoryDemand>& demands, ModelledRun& run) {
  for (const MemoryDemand& demand : demands) {
    if (2 * demand.asked <= demand.there) continue;
    run.notes.push_back(str(demand.what, " take ", human_bytes(demand.asked), " of ",
                            human_bytes(demand.there), " of ", demand.where,
                            ", all of which is taken to be free: what else needs some of it is not "
                            "known here"));
  }
}

}  // namespace

void add_analytic_memory(const Program& computes, const Device& device, ModelledRun& run) {
  const std::vector<StepInfo> steps = computes.steps();
  uint64_t weights = 0;
  for (const StepInfo& step : steps) weights += step.cost.stored_bytes;
  LayerBytes live;
  if (const auto plan = computes.memory()) live = most_live(*plan, steps, computes.graph());
  run.memory = {exact_bytes("weights", weights), exact_bytes("activations", live.bytes)};
  const std::vector<MemoryDemand> demands =
      demands_of(*device.analytic(), weights, most_weights(steps), live);
  run.misfit = misfit_of(device.name, demands);
  if (run.misfit.empty()) add_tight_memories(demands, run);
}

}  // namespace hone
