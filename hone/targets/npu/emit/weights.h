// Weights and tables: where their images lie, and how they come to the engines.
#pragma once

#include "hone/targets/npu/emit/emission.h"

namespace hone::npu {

bool has_constants(const Layer& layer);

// Bytes that are enough for a step's weights or tables, into however many blocks they are cut.
uint64_t room_for_constants(const NpuSpec& npu, const ProgramStep& step);

// All output channels of a layer, group by group.
std::vector<Block> blocks_of(const Layer& layer, const Cut& cut);

// Where the engine reads the block's constants: kept in SRAM, streamed from their memory, or in
// SRAM after a transfer that `job` gets.
sim::Address bring_constants(Emission& emission, LayerState& state, Block& block, Job& job);

// A table is the same for all channels: what the first block has holds for the others.
void share_constants(const Emission& emission, const LayerState& state, std::vector<Block>& blocks);

}  // namespace hone::npu
