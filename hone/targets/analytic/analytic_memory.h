#pragma once

#include "hone/device/device.h"
#include "hone/targets/common/memory_fit.h"
#include "hone/targets/target.h"

namespace hone {

// What a network keeps in memory, and whether the device has as much. Requires device.analytic().
void add_analytic_memory(const Program& computes, const Device& device, ModelledRun& run);

// The same from what is known of it, in place of what was told before: all weights and the layer with
// the most, and what lives at most, and where.
struct NetworkMemory {
  uint64_t weights = 0;
  LayerBytes heaviest = {};
  LayerBytes live = {};
};
void set_analytic_memory(const NetworkMemory& network, const Device& device, ModelledRun& run);

}  // namespace hone
