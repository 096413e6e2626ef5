// The functions behind gemm_split.cc's table, and where they find a value.
#pragma once

#include "hone/kernels/gemm_split/gemm_split.h"

namespace hone {

// Where value k of row `row`, or of column `column` among a panel's `tiles`, has its first part; the
// others lie a tile each behind it, and `tiles` of them.
inline size_t split_row_at(size_t row, size_t k, size_t steps) {
  const size_t tile = (row / kSplitTile * steps + k / kSplitStep) * kSplitParts;
  return tile * kSplitTileElements + row % kSplitTile * kSplitStep + k % 16 * 2 + k % 32 / 16;
}
inline size_t split_column_at(size_t column, size_t k, size_t tiles) {
  const size_t tile = k / kSplitStep * kSplitParts * tiles + column / kSplitTile;
  return tile * kSplitTileElements + (k % 16 * kSplitTile + column % kSplitTile) * 2 + k % 32 / 16;
}

inline constexpr size_t kGemmSplitRefColumns = 16;
bool gemm_split_ref(const GemmSplitStrip& strip);

#if defined(__x86_64__)
inline constexpr size_t kGemmSplitAmxColumns = 32;
bool gemm_split_amx_bf16(const GemmSplitStrip& strip);  // 32 x 32
#endif

}  // namespace hone
