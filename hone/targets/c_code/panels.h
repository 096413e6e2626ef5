// Weights as the products in product.c and fours.c take them: panels of two channels, or of four.
#pragma once

#include "hone/targets/c_code/weighted_layer.h"

namespace hone::c_code {

// Channels of a panel: as product.c has them, and as fours.c does.
constexpr int64_t kPair = 2;
constexpr int64_t kFours = 4;
constexpr int64_t kNoChannel = -1;

// The computed channels as the kernels take them: those of a group are filled up to whole panels.
std::vector<int64_t> channels_in(int64_t panel, const Weighted& layer);
// Their biases, as sums of such panels begin.
std::vector<int32_t> biases_in(int64_t panel, const Weighted& layer);

// A column of 16 bits.
size_t column_bytes(const Weighted& layer);

// The kernels for a layer: panels of four channels or of two.
struct Blocks {
  int64_t channels = kPair;

  bool fours() const { return channels == kFours; }
  // That a kernel takes at a time: HONE_PAIR_COLUMNS, HONE_COLUMNS.
  int64_t columns() const { return fours() ? 2 : 3; }
  Array panels(const Weighted& layer) const;
};

Blocks blocks_of(const Weighted& layer, CoreKernels core);

}  // namespace hone::c_code
