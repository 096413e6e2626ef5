#pragma once

#include "hone/targets/npu/schedule.h"

namespace hone::npu {

// What is decided before commands are made.
struct EmitPlan {
  uint64_t weight_slot = 0;  // Bytes of each of the two slots, which lie at the start of the SRAM.
  std::vector<bool> kept = {};              // By step: weights stay in SRAM from run to run.
  std::vector<uint64_t> kept_offsets = {};  // By step: in SRAM.
  uint64_t activations_at = 0;              // Where the SRAM plan begins.
  SramPlan sram = {};
  bool with_images = true;  // False where only time is asked for.
};

Schedule emit(const NpuSpec& npu, const ProgramOutline& program, const EmitPlan& plan);

}  // namespace hone::npu
