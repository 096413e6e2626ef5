// How much SRAM a layer works in when it is computed tile by tile.
#pragma once

#include "hone/targets/common/memory_planner.h"
#include "hone/targets/npu/layer.h"

namespace hone::npu {

// Buffers start where the planner of memory puts them.
inline uint64_t aligned(int64_t bytes) {
  return (static_cast<uint64_t>(bytes) + kBufferAlignment - 1) / kBufferAlignment *
         kBufferAlignment;
}

// Extents of a tile of the output; the width is never cut.
struct Cut {
  int64_t rows = 0;
  int64_t channels = 0;
};

// Rows first .. last - 1 of an image.
struct Rows {
  int64_t first = 0;
  int64_t last = 0;
  int64_t count() const { return last - first; }
};

// The rows of input `operand` that output rows need, and the padding above them.
Rows input_rows(const Layer& layer, const Operand& operand, Rows output);
int64_t pad_above(const Layer& layer, Rows output);

// The smallest tile a layer can be cut into. Products take their output channels in any number.
Cut smallest_cut(const Layer& layer);
Cut whole_cut(const Layer& layer);

// Bytes of the largest tile.
int64_t input_tile_bytes(const Layer& layer, const Operand& operand, const Cut& cut);
int64_t output_tile_bytes(const Layer& layer, const Cut& cut);

// Of the smallest tiles of everything, with the weights of one output channel.
int64_t least_working_bytes(const Layer& layer);

}  // namespace hone::npu
