// The tile for AVX2 and AVX-512, over a vector type: MR rows of NV vectors of sums; values of a are
// broadcast from their rows, one per row and k.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "hone/kernels/gemm/gemm.h"
#include "hone/kernels/unroll.h"
#include "hone/kernels/x86_vectors.h"

namespace hone {

// V is F32x8 or F32x16. The panel is NV vectors wide, the last of which may be partly used.
template <class V, size_t MR, size_t NV>
class GemmX86Tile {
  using Vec = typename V::Vec;
  static constexpr size_t kColumns = NV * V::kLanes;
  static constexpr size_t kLine = 64 / sizeof(float);
  // Far enough for the second-level cache, and for the third when one row reads a panel once.
  static constexpr size_t kAhead = 2048 / sizeof(float);
  // Where sums, weights and a broadcast are more than the registers, the last vector of weights is
  // an operand in memory.
  static constexpr size_t kHeld = MR * NV + NV + 1 > V::kRegisters ? NV - 1 : NV;

 public:
  // `next`: a line of it is fetched into the second-level cache for each k.
  static void run(const GemmTile<float>& tile, const float* next) {
    Vec sums[MR][NV];
    const float* b = tile.b;
    HONE_UNROLL
    for (size_t n = 0; n < NV; ++n) {
      const Vec bias = V::load(b + n * V::kLanes);
      HONE_UNROLL
      for (size_t r = 0; r < MR; ++r) sums[r][n] = bias;
    }
    b += kColumns;
    const auto depth = static_cast<ptrdiff_t>(tile.depth);
    for (size_t t = 0; t < tile.taps; ++t) {
      const float* ends[MR];
      HONE_UNROLL
      for (size_t r = 0; r < MR; ++r) ends[r] = tile.a[r * tile.taps + t] + depth;
      for (ptrdiff_t k = -depth; k < 0; ++k, b += kColumns, next += kLine) {
        fetch(b, next);
        add_products(ends, k, b, sums);
      }
    }
    finish(tile, sums);
  }

 private:
  [[gnu::always_inline]] static inline void fetch(const float* b, const float* next) {
    HONE_UNROLL
    for (size_t n = 0; n < kColumns; n += kLine) _mm_prefetch(b + kAhead + n, _MM_HINT_T0);
    _mm_prefetch(next, _MM_HINT_T1);
  }

  [[gnu::always_inline]] static inline void add_products(const float* const (&ends)[MR],
                                                         ptrdiff_t k, const float* b,
                                                         Vec (&sums)[MR][NV]) {
    Vec held[kHeld];
    HONE_UNROLL
    for (size_t n = 0; n < kHeld; ++n) held[n] = V::load(b + n * V::kLanes);
    HONE_UNROLL
    for (size_t r = 0; r < MR; ++r) {
      const Vec x = V::broadcast(ends[r][k]);
      HONE_UNROLL
      for (size_t n = 0; n < kHeld; ++n) sums[r][n] = V::fma(x, held[n], sums[r][n]);
      if constexpr (kHeld < NV) {
        sums[r][kHeld] = V::fma_from(x, b + kHeld * V::kLanes, sums[r][kHeld]);
      }
    }
  }

  [[gnu::always_inline]] static inline void finish(const GemmTile<float>& tile,
                                                   Vec (&sums)[MR][NV]) {
    const auto mask = V::mask(tile.cols - (NV - 1) * V::kLanes);
    if (tile.residual != nullptr) add_residual(tile, mask, sums);
    const Vec low = V::broadcast(tile.low);
    const Vec high = V::broadcast(tile.high);
    HONE_UNROLL
    for (size_t r = 0; r < MR; ++r) {
      // Of two operands, one of them NaN, these instructions give the second.
      HONE_UNROLL
      for (Vec& sum : sums[r]) sum = V::min(high, V::max(low, sum));
    }
    if (tile.cols == kColumns) {
      store_rows(tile, sums, [](float* c, Vec y) { V::store(c, y); });
    } else {
      store_rows(tile, sums, [mask](float* c, Vec y) { V::store(c, mask, y); });
    }
  }

  [[gnu::always_inline]] static inline void add_residual(const GemmTile<float>& tile,
                                                         typename V::Mask mask,
                                                         Vec (&sums)[MR][NV]) {
    const float* from = tile.residual;
    HONE_UNROLL
    for (size_t r = 0; r < MR; ++r, from += tile.residual_stride) {
      HONE_UNROLL
      for (size_t n = 0; n + 1 < NV; ++n) {
        sums[r][n] = V::add(sums[r][n], V::load(from + n * V::kLanes));
      }
      sums[r][NV - 1] = V::add(sums[r][NV - 1], V::load(from + (NV - 1) * V::kLanes, mask));
    }
  }

  template <class StoreLast>
  [[gnu::always_inline]] static inline void store_rows(const GemmTile<float>& tile,
                                                       const Vec (&sums)[MR][NV],
                                                       StoreLast store_last) {
    float* to = tile.c;
    HONE_UNROLL
    for (size_t r = 0; r < MR; ++r, to += tile.c_stride) {
      HONE_UNROLL
      for (size_t n = 0; n + 1 < NV; ++n) V::store(to + n * V::kLanes, sums[r][n]);
      store_last(to + (NV - 1) * V::kLanes, sums[r][NV - 1]);
    }
  }
};

// The tiles of 1 .. kMost rows.
template <class V, size_t NV, size_t... kRow>
constexpr auto gemm_x86_tiles(std::index_sequence<kRow...>) {
  return std::array{GemmX86Tile<V, kRow + 1, NV>::run...};
}

// A tile of few rows waits for its own sums: a remainder is shared with the tile before it.
inline size_t gemm_x86_rows(size_t rows, size_t most) {
  if (rows >= 2 * most) return most;
  return rows > most ? (rows + 1) / 2 : rows;
}

// All rows, where the panel is NV vectors wide. Every tile fetches its share of the next panel.
template <class V, size_t NV, size_t kMost>
void run_gemm_x86(GemmTile<float> tile) {
  static constexpr auto kTiles = gemm_x86_tiles<V, NV>(std::make_index_sequence<kMost>());
  const size_t steps = tile.taps * tile.depth;
  const size_t share = steps * 64 / sizeof(float);
  size_t left = tile.next == nullptr ? 0 : (steps + 1) * NV * V::kLanes;
  const float* next = tile.next;
  while (tile.rows > 0) {
    const size_t rows = gemm_x86_rows(tile.rows, kMost);
    kTiles[rows - 1](tile, left > 0 ? next : tile.b);
    tile.skip_rows(rows);
    next += std::min(share, left);
    left -= std::min(share, left);
  }
}

}  // namespace hone
