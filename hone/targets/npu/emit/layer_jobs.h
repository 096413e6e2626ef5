// Jobs of a layer: one for each tile of its output and block of its channels.
#pragma once

#include "hone/targets/npu/emit/emission.h"

namespace hone::npu {

// Rows of a block's channels. `new_block`: another block may have taken its constants' place.
Job make_job(Emission& emission, LayerState& state, Rows rows, Block& block, bool new_block);

// All of layer `index` of a step.
void emit_layer(Emission& emission, size_t step, size_t index);

}  // namespace hone::npu
