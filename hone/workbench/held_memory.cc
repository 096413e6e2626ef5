#include "hone/workbench/held_memory.h"

#include "hone/targets/common/modelled_metrics.h"

namespace hone {

std::optional<uint64_t> HeldMemory::working_bytes() const {
  if (!activations.value || (!weights_in_flash && !weights.value)) return std::nullopt;
  return static_cast<uint64_t>(*activations.value + (weights_in_flash ? 0 : *weights.value));
}

HeldMemory held_memory(const Program& program, const ModelledRun* run) {
  HeldMemory held = {.weights = unavailable("weights", "B", "the target plans no memory"),
                     .activations = unavailable("activations", "B", "the target plans no memory")};
  if (const std::optional<MemorySummary> memory = program.memory()) {
    held.weights = exact_bytes("weights", memory->weight_bytes);
    held.activations = exact_bytes("activations", memory->arena_bytes + memory->body_bytes,
                                   "planned in one arena");
  }
  if (run == nullptr) return held;
  held.weights_in_flash = run->weights_in_flash;
  for (const Metric& metric : run->memory) {
    if (metric.name == "weights") held.weights = metric;
    if (!metric.name.ends_with("activations")) continue;
    held.activations = metric;
    held.activations.name = "activations";
  }
  return held;
}

}  // namespace hone
