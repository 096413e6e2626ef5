// How a layer is best cut into tiles, when some of its operands stay in the SRAM and others pass
// through it.
#pragma once

#include <optional>

#include "hone/device/npu_spec.h"
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

// Row counts worth trying: all rows cut into 1, 2, 3, 4, 6, 8, 12, ... parts of equal size.
std::vector<int64_t> row_choices(const Layer& layer);

class TileChoice {
 public:
  // `resident` is read whenever something is asked. Which tiles are best depends on the bandwidth;
  // what the machine has must not, or more of it could lead to worse ones: transfers are taken to
  // reach `bytes_per_cycle`.
  TileChoice(const NpuSpec& npu, const ProgramOutline& program, const std::vector<bool>& resident,
             uint64_t weight_slot, double bytes_per_cycle);

  // The plan that is estimated to take the fewest cycles of those whose tiles fit into `room`.
  std::optional<LayerPlan> choose(const Layer& layer, uint64_t room) const;
  // Bytes of tiles that the layer needs besides what is resident.
  uint64_t tile_bytes(const Layer& layer, const Cut& cut, int buffers) const;

 private:
  bool resident(const Operand& operand) const;
  bool everything_resident(const Layer& layer) const;
  int64_t block_channels(const Layer& layer, bool streams) const;
  std::vector<int64_t> channel_choices(const Layer& layer, bool streams) const;
  double transfer_cycles(int64_t bytes, int64_t part, int64_t all) const;
  double input_cycles(const Layer& layer, const Operand& operand, const Cut& cut) const;
  double weight_cycles(const Layer& layer, int64_t channels) const;
  double estimate(const Layer& layer, LayerPlan& plan) const;

  NpuSpec npu_;
  const ProgramOutline& program_;
  const std::vector<bool>& resident_;
  uint64_t weight_slot_;
};

// Whether the matrix engine can read the layer's weights from their memory.
bool can_stream(const NpuSpec& npu, const Layer& layer);

// The most output channels whose weights fit into `slot` bytes, whole columns of the array where
// there is room for one; 0 when not even one channel's fit.
int64_t channels_that_fit(const NpuSpec& npu, const Layer& layer, uint64_t slot);

}  // namespace hone::npu
