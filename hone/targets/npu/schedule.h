// From layers to commands: tiles, transfers, weights, in an order that keeps the engines busy.
#pragma once

#include "hone/sim/simulate.h"
#include "hone/targets/npu/sram_plan.h"

namespace hone::npu {

struct Schedule {
  sim::CommandStream stream = {};
  SramPlan sram = {};
  std::vector<uint64_t> memory_offsets = {};  // By storage: in memory 0; for those that are there.
  std::vector<bool> kept = {};                // By step: its weights stay in SRAM from run to run.
  uint64_t weight_slot = 0;
  uint64_t kept_bytes = 0;
  uint64_t weight_bytes = 0;  // Of all weights and tables, as memory holds them.
};

// The best of several budgets for weights and activations, by simulation. Unsupported when nothing
// fits, and `too_large` is then a node that does not. Host steps become calls with the number of
// their step.
Result<Schedule> make_schedule(const NpuSpec& npu, const ProgramOutline& program,
                               const Node*& too_large);

}  // namespace hone::npu
