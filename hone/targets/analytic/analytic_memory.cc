#include "hone/targets/analytic/analytic_memory.h"

#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/targets/common/memory_fit.h"
#include "hone/targets/common/modelled_metrics.h"

namespace hone {
namespace {

constexpr std::string_view kTakenToBeFree = ", all of which is taken to be free: ";

std::vector<MemoryDemand> demands_of(const AnalyticSpec& spec, const NetworkMemory& network) {
  const auto& [weights, heaviest, live] = network;
  const auto ram = static_cast<uint64_t>(spec.memory_bytes);
  if (spec.flash) {
    const auto flash = static_cast<uint64_t>(spec.flash->bytes);
    return {{"weights", weights, "flash", flash, heaviest},
            {"activations", live.bytes, "RAM", ram, live}};
  }
  return {{"weights and activations", weights + live.bytes, "memory", ram,
           heaviest.bytes > live.bytes ? heaviest : live}};
}

// Where more than half of a memory is asked for it matters that a system and a runtime need some, too.
void add_tight_memories(const std::vector<MemoryDemand>& demands, ModelledRun& run) {
  for (const MemoryDemand& demand : demands) {
    if (2 * demand.asked <= demand.there) continue;
    run.notes.push_back(str(demand.what, " take ", human_bytes(demand.asked), " of ",
                            human_bytes(demand.there), " of ", demand.where, kTakenToBeFree,
                            "what else needs some of it is not known here"));
  }
}

}  // namespace

void add_analytic_memory(const Program& computes, const Device& device, ModelledRun& run) {
  const std::vector<StepInfo> steps = computes.steps();
  NetworkMemory network{.heaviest = most_weights(steps)};
  for (const StepInfo& step : steps) network.weights += step.cost.stored_bytes;
  if (const auto plan = computes.memory()) {
    network.live = most_live(*plan, steps, computes.graph());
  }
  set_analytic_memory(network, device, run);
}

void set_analytic_memory(const NetworkMemory& network, const Device& device, ModelledRun& run) {
  std::erase_if(run.notes, [](const std::string& note) {
    return note.find(kTakenToBeFree) != std::string::npos;
  });
  run.memory = {exact_bytes("weights", network.weights),
                exact_bytes("activations", network.live.bytes)};
  run.weights_in_flash = device.analytic()->flash.has_value();
  const std::vector<MemoryDemand> demands = demands_of(*device.analytic(), network);
  run.misfit = misfit_of(device.name, demands);
  if (run.misfit.empty()) add_tight_memories(demands, run);
}

}  // namespace hone
