// The tile for AVX2 and AVX-512, over a vector type: MR rows of NV vectors of sums; values of a are
// broadcast from their rows, one per row and k.
#pragma once

#include <algorithm>
#include <cstddef>

#include "hone/kernels/gemm/gemm.h"
#include "hone/kernels/unroll.h"

namespace hone {

// V has Vec, kLanes, load, store, broadcast, add, min, max and fma(a, b, sum).
template <class V, size_t MR, size_t NV>
class GemmX86Tile {
  using Vec = typename V::Vec;
  static constexpr size_t kColumns = NV * V::kLanes;

 public:
  static void run(const GemmTile<float>& tile) {
    Vec sums[MR][NV];
    const float* b = tile.b;
    HONE_UNROLL
    for (size_t r = 0; r < MR; ++r) {
      HONE_UNROLL
      for (size_t n = 0; n < NV; ++n) sums[r][n] = V::load(b + n * V::kLanes);
    }
    b += kColumns;
    for (size_t t = 0; t < tile.taps; ++t) {
      const float* a[MR];
      HONE_UNROLL
      for (size_t r = 0; r < MR; ++r) a[r] = tile.a[r * tile.taps + t];
      for (size_t k = 0; k < tile.depth; ++k, b += kColumns) {
        Vec columns[NV];
        HONE_UNROLL
        for (size_t n = 0; n < NV; ++n) columns[n] = V::load(b + n * V::kLanes);
        HONE_UNROLL
        for (size_t r = 0; r < MR; ++r) {
          const Vec x = V::broadcast(a[r][k]);
          HONE_UNROLL
          for (size_t n = 0; n < NV; ++n) sums[r][n] = V::fma(x, columns[n], sums[r][n]);
        }
      }
    }
    HONE_UNROLL
    for (size_t r = 0; r < MR; ++r) finish(tile, r, sums[r]);
  }

 private:
  [[gnu::always_inline]] static inline void finish(const GemmTile<float>& tile, size_t r,
                                                   const Vec (&sums)[NV]) {
    // Fewer columns than the tile has go by way of a buffer.
    float row[kColumns];
    const bool whole = tile.cols == kColumns;
    const float* residual =
        tile.residual == nullptr ? nullptr : tile.residual + r * tile.residual_stride;
    if (!whole && residual != nullptr) {
      std::copy_n(residual, tile.cols, row);
      std::fill(row + tile.cols, row + kColumns, 0.0f);
      residual = row;
    }
    float* c = tile.c + r * tile.c_stride;
    float* to = whole ? c : row;
    HONE_UNROLL
    for (size_t n = 0; n < NV; ++n) {
      Vec y = sums[n];
      if (residual != nullptr) y = V::add(y, V::load(residual + n * V::kLanes));
      // Of two operands, one of them NaN, these instructions give the second.
      y = V::min(V::broadcast(tile.high), V::max(V::broadcast(tile.low), y));
      V::store(to + n * V::kLanes, y);
    }
    if (!whole) std::copy_n(row, tile.cols, c);
  }
};

// Tiles of MR rows, and the remainder by tiles of fewer.
template <class V, size_t MR, size_t NV>
void run_gemm_x86(GemmTile<float> tile) {
  while (tile.rows >= MR) {
    GemmX86Tile<V, MR, NV>::run(tile);
    tile.skip_rows(MR);
  }
  if constexpr (MR > 1) {
    if (tile.rows > 0) run_gemm_x86<V, MR / 2, NV>(tile);
  }
}

}  // namespace hone
