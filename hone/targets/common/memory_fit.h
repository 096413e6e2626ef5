// Whether what a network keeps in memory fits what a device has.
#pragma once

#include <string>
#include <vector>

#include "hone/targets/target.h"

namespace hone {

// A layer and what it takes.
struct LayerBytes {
  std::string layer = {};
  uint64_t bytes = 0;
};

// The step with the most weights.
LayerBytes most_weights(const std::vector<StepInfo>& steps);
// The step during which the most is in use: of the arena, of the graph's inputs until they are read
// for the last time and of its outputs from when they are made, and inside of bodies.
LayerBytes most_live(const MemorySummary& memory, const std::vector<StepInfo>& steps,
                     const Graph& graph);

// What is asked of one memory of a device.
struct MemoryDemand {
  std::string what = {};   // "weights".
  uint64_t asked = 0;      // Bytes.
  std::string where = {};  // "flash".
  uint64_t there = 0;      // Bytes.
  LayerBytes most = {};    // The layer that asks for most.
};

// "does not fit: weights take 13.3 MiB, cortex-m7 has 2.00 MiB of flash, most in 'fc', 4.88 MiB";
// empty when everything fits.
std::string misfit_of(const std::string& device, const std::vector<MemoryDemand>& demands);

// How many steps have extents that only a run tells, as a sentence; empty when none has.
std::string unknown_extents(const std::vector<StepInfo>& steps);

// Takes latency and energy away from a run that does not fit, or whose work is not known.
void withhold_times(const std::vector<StepInfo>& steps, ModelledRun& run);

}  // namespace hone
