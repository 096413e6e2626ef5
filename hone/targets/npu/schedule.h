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

// No budget holds all layers.
struct DoesNotFit {
  Error error;  // Unsupported.
  const Node* node =
      nullptr;  // The one that would fit nowhere; null where none was found to blame.
};

// The best of several budgets for weights and activations, by simulation. Host steps become calls
// with the number of their step.
std::variant<Schedule, DoesNotFit> make_schedule(const NpuSpec& npu, const ProgramOutline& program);

// What is in the SRAM when, of one budget.
struct SramUse {
  SramPlan activations = {};
  std::vector<bool> kept = {};  // By step: its weights stay from run to run.
  uint64_t weight_slot = 0;
};

// Of a few budgets, from all of the SRAM for activations to ever less, without a schedule for them.
// None where a layer does not fit.
std::vector<SramUse> sram_uses(const NpuSpec& npu, const ProgramOutline& program);

}  // namespace hone::npu
