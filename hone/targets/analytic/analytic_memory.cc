#include "hone/targets/analytic/analytic_memory.h"

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

}  // namespace

void add_analytic_memory(const Program& computes, const Device& device, ModelledRun& run) {
  const std::vector<StepInfo> steps = computes.steps();
  uint64_t weights = 0;
  for (const StepInfo& step : steps) weights += step.cost.stored_bytes;
  LayerBytes live;
  if (const auto plan = computes.memory()) live = most_live(*plan, steps, computes.graph());
  run.memory = {exact_bytes("weights", weights), exact_bytes("activations", live.bytes)};
  run.misfit =
      misfit_of(device.name, demands_of(*device.analytic(), weights, most_weights(steps), live));
}

}  // namespace hone
