// Commands in the making. What is shared by those who make them is passed along.
#pragma once

#include <optional>
#include <vector>

#include "hone/targets/npu/emitter.h"
#include "hone/targets/npu/job.h"

namespace hone::npu {

constexpr uint8_t kMemory = 1;  // Memory 0's space.

// What commands are made of, those there are, and what the machine holds when they have run.
struct Emission {
  const NpuSpec& npu;
  const ProgramOutline& program;
  const EmitPlan& plan;
  Schedule schedule = {};
  std::vector<Job> jobs = {};
  std::vector<bool> in_sram = {};  // By storage: a resident's bytes are there.
  int weight_slot = 0;             // The slot of weights that was filled last.
  // The buffer of outputs that was filled last. A layer starts with the first; a cascade goes on
  // from the layer before it.
  int output_buffer = 0;
  bool npu_worked = false;  // The NPU has worked since the host last did.
};

// Output channels that are computed at a time, with their constants.
struct Block {
  int64_t first = 0;  // Output channel.
  int64_t count = 0;
  int64_t first_input = 0;  // Input channel.
  int64_t inputs = 0;
  sim::Address image = {};  // Of the constants, in memory; SRAM while there is none.
  sim::Address at = {};     // Where the engine reads them.
  bool ready = false;
};

// The tile of an input that was brought last.
struct TileBuffer {
  int index = 0;
  bool filled = false;
  sim::View from = {};
  sim::View tile = {};
};

// A layer while its jobs are made.
struct LayerState {
  size_t step = 0;
  const Layer& layer;
  const LayerPlan& plan;
  std::vector<TileBuffer> tiles = std::vector<TileBuffer>(layer.inputs.size());  // By input.
  uint64_t kept_used = 0;  // Bytes that blocks have taken of what the step keeps in SRAM.
  // Inside of a cascade: where the first input and the output are, and the weights' own place.
  std::optional<sim::View> link_in = {};
  std::optional<sim::View> link_out = {};
  std::optional<uint64_t> weights_at = {};
};

}  // namespace hone::npu
