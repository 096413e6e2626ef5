// Tiles of activations: where they lie in SRAM, and how they come and go.
#pragma once

#include "hone/targets/npu/emit/emission.h"

namespace hone::npu {

// Rows and channels of an input in SRAM. `job` gets the transfer that brings them.
sim::View input_tile(Emission& emission, LayerState& state, size_t input, Rows rows,
                     int64_t first_channel, int64_t channels, Job& job);

// Where a block's rows of the output are made. `job` gets the transfer that takes them away.
sim::View output_tile(Emission& emission, LayerState& state, Rows rows, const Block& block,
                      Job& job);

}  // namespace hone::npu
