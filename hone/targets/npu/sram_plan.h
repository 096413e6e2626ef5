// What stays in the SRAM from layer to layer, what passes through it in tiles, and where.
#pragma once

#include <optional>

#include "hone/device/npu_spec.h"
#include "hone/targets/npu/cascade.h"
#include "hone/targets/npu/storage.h"
#include "hone/targets/npu/working_set.h"

namespace hone::npu {

// How one layer is computed.
struct LayerPlan {
  Cut cut = {};
  bool streams = false;       // The engine reads the weights from their memory as it computes.
  bool weights_outer = true;  // For each block of weights all tiles; otherwise the other way round.
  int buffers = 2;            // Of every tile that comes or goes: two let a transfer overlap.
  std::vector<uint64_t> input_buffers = {};  // SRAM offsets, one per input; unused for residents.
  uint64_t output_buffer = 0;
};

struct SramPlan {
  std::vector<bool> resident = {};                  // By storage.
  std::vector<uint64_t> offsets = {};               // By storage: in SRAM, for residents.
  std::vector<std::vector<LayerPlan>> layers = {};  // By step.
  std::vector<Cascade> cascades = {};               // In running order.
  std::vector<bool> linked = {};                    // By storage: lies inside of a cascade.
  uint64_t bytes = 0;
};

struct SramBudget {
  uint64_t activations = 0;  // Bytes for activations and their tiles.
  uint64_t weight_slot = 0;  // Bytes that one block of weights may take in SRAM.
  bool cascades = true;
  // Bytes a cycle that transfers are taken to reach when tiles are chosen.
  double bytes_per_cycle = 1;
};

// Tiles and blocks of all layers.
int64_t job_count(const ProgramOutline& program, const SramPlan& plan);

// Everything that tells two plans apart but for offsets, which follow from it.
std::string signature(const SramPlan& plan);

// Nothing when some layer does not fit; `too_large` is then its step.
std::optional<SramPlan> plan_sram(const NpuSpec& npu, const ProgramOutline& program,
                                  const SramBudget& budget, size_t& too_large);

// Whether the matrix engine can read the layer's weights from their memory.
bool can_stream(const NpuSpec& npu, const Layer& layer);

// The most output channels whose weights fit into `slot` bytes, whole columns of the array where
// there is room for one; 0 when not even one channel's fit.
int64_t channels_that_fit(const NpuSpec& npu, const Layer& layer, uint64_t slot);

}  // namespace hone::npu
