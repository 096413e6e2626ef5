#include "hone/workbench/held_memory.h"

#include "hone/targets/common/modelled_metrics.h"

namespace hone {

HeldMemory held_memory(const Program& program, const ModelledRun* run) {
  HeldMemory held = {.weights = unavailable("weights", "B", "the target plans no memory"),
                     .activations = unavailable("activations", "B", "the target plans no memory")};
  if (const std::optional<MemorySummary> memory = program.memory()) {
    held.weights = exact_bytes("weights", memory->weight_bytes);
    held.activations = exact_bytes("activations", memory->arena_bytes + memory->body_bytes,
                                   "planned in one arena");
  }
  if (run == nullptr) return held;
  for (const Metric& metric : run->memory) {
    if (metric.name == "weights") held.weights = metric;
    if (!metric.name.ends_with("activations")) continue;
    held.activations = metric;
    held.activations.name = "activations";
  }
  return held;
}

}  // namespace hone
