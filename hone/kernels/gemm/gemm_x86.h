// The tile for AVX2 and AVX-512, over a vector type: MR rows of NV vectors of sums; values of a are
// broadcast from their rows, one per row and k. Where elements are halves and sums are floats, rows
// of a are first converted, some hundred values of k at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "hone/kernels/gemm/gemm.h"
#include "hone/kernels/unroll.h"
#include "hone/kernels/x86_vectors.h"

namespace hone {

// V is of x86_vectors.h: F32x8, HalfF32x8 and the like. The panel is NV vectors wide, the last of which may be partly used.
// kFetches: the panel is read from beyond the first-level cache.
template <class V, size_t MR, size_t NV, bool kFetches>
class GemmX86Tile {
  using T = typename V::Element;
  using Vec = typename V::Vec;
  static constexpr size_t kColumns = NV * V::kLanes;
  static constexpr size_t kLine = 64 / sizeof(T);
  // Far enough for the second-level cache, and for the third when one row reads a panel once.
  static constexpr size_t kAhead = 2048 / sizeof(T);
  // Where sums, weights and a broadcast are more than the registers, the last vector of weights is
  // an operand in memory.
  static constexpr bool kEmbeds = requires { &V::fma_broadcast; };
  static constexpr size_t kHeld = !kEmbeds && MR * NV + NV + 1 > V::kRegisters ? NV - 1 : NV;
  static constexpr bool kWidens = sizeof(T) * V::kLanes < sizeof(Vec);
  static constexpr size_t kChunk = 128;  // Values of k that are converted at a time.

 public:
  // `next`: a line of it is fetched into the second-level cache for each k.
  static void run(const GemmTile<T>& tile, const T* next) {
    Vec sums[MR][NV];
    const T* b = tile.b;
    HONE_UNROLL
    for (size_t n = 0; n < NV; ++n) {
      const Vec bias = V::load(b + n * V::kLanes);
      HONE_UNROLL
      for (size_t r = 0; r < MR; ++r) sums[r][n] = bias;
    }
    b += kColumns;
    for (size_t t = 0; t < tile.taps; ++t) {
      if constexpr (kWidens) {
        add_widened(tile, t, b, next, sums);
      } else {
        const T* rows[MR];
        HONE_UNROLL
        for (size_t r = 0; r < MR; ++r) rows[r] = tile.a[r * tile.taps + t];
        add_steps(rows, tile.depth, b, next, sums);
      }
    }
    finish(tile, sums);
  }

 private:
  [[gnu::always_inline]] static inline void add_widened(const GemmTile<T>& tile, size_t tap,
                                                        const T*& b, const T*& next,
                                                        Vec (&sums)[MR][NV]) {
    float wide[MR][kChunk];
    const float* rows[MR];
    HONE_UNROLL
    for (size_t r = 0; r < MR; ++r) rows[r] = wide[r];
    for (size_t k = 0; k < tile.depth; k += kChunk) {
      const size_t steps = std::min(kChunk, tile.depth - k);
      for (size_t r = 0; r < MR; ++r) widen(tile.a[r * tile.taps + tap] + k, steps, wide[r]);
      add_steps(rows, steps, b, next, sums);
    }
  }

  static void widen(const T* from, size_t count, float* to) {
    size_t k = 0;
    for (; k + V::kLanes <= count; k += V::kLanes) V::store_floats(to + k, V::load(from + k));
    if (k < count) V::store_floats(to + k, V::load(from + k, V::mask(count - k)));
  }

  template <class Factor>
  [[gnu::always_inline]] static inline void add_steps(const Factor* const (&rows)[MR], size_t steps,
                                                      const T*& b, const T*& next,
                                                      Vec (&sums)[MR][NV]) {
    // Counted up to zero: one register for place and end.
    const auto count = static_cast<ptrdiff_t>(steps);
    const Factor* ends[MR];
    HONE_UNROLL
    for (size_t r = 0; r < MR; ++r) ends[r] = rows[r] + count;
    for (ptrdiff_t k = -count; k < 0; ++k, b += kColumns, next += kLine) {
      fetch(b, next);
      add_products(ends, k, b, sums);
    }
  }

  [[gnu::always_inline]] static inline void fetch(const T* b, const T* next) {
    if constexpr (!kFetches) return;
    HONE_UNROLL
    for (size_t n = 0; n < kColumns; n += kLine) _mm_prefetch(b + kAhead + n, _MM_HINT_T0);
    _mm_prefetch(next, _MM_HINT_T1);
  }

  template <class Factor>
  [[gnu::always_inline]] static inline void add_products(const Factor* const (&ends)[MR],
                                                         ptrdiff_t k, const T* b,
                                                         Vec (&sums)[MR][NV]) {
    Vec held[kHeld];
    HONE_UNROLL
    for (size_t n = 0; n < kHeld; ++n) held[n] = V::load(b + n * V::kLanes);
    HONE_UNROLL
    for (size_t r = 0; r < MR; ++r) {
      if constexpr (kEmbeds) {
        HONE_UNROLL
        for (size_t n = 0; n < NV; ++n) {
          sums[r][n] = V::fma_broadcast(ends[r] + k, held[n], sums[r][n]);
        }
      } else {
        const Vec x = V::broadcast(ends[r][k]);
        HONE_UNROLL
        for (size_t n = 0; n < kHeld; ++n) sums[r][n] = V::fma(x, held[n], sums[r][n]);
        if constexpr (kHeld < NV) {
          sums[r][kHeld] = V::fma_from(x, b + kHeld * V::kLanes, sums[r][kHeld]);
        }
      }
    }
  }

  [[gnu::always_inline]] static inline void finish(const GemmTile<T>& tile, Vec (&sums)[MR][NV]) {
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
      store_rows(tile, sums, [](T* c, Vec y) { V::store(c, y); });
    } else {
      store_rows(tile, sums, [mask](T* c, Vec y) { V::store(c, mask, y); });
    }
  }

  [[gnu::always_inline]] static inline void add_residual(const GemmTile<T>& tile,
                                                         typename V::Mask mask,
                                                         Vec (&sums)[MR][NV]) {
    const T* from = tile.residual;
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
  [[gnu::always_inline]] static inline void store_rows(const GemmTile<T>& tile,
                                                       const Vec (&sums)[MR][NV],
                                                       StoreLast store_last) {
    T* to = tile.c;
    HONE_UNROLL
    for (size_t r = 0; r < MR; ++r, to += tile.c_stride) {
      HONE_UNROLL
      for (size_t n = 0; n + 1 < NV; ++n) V::store(to + n * V::kLanes, sums[r][n]);
      store_last(to + (NV - 1) * V::kLanes, sums[r][NV - 1]);
    }
  }
};

// The tiles of 1 .. kMost rows.
template <class V, size_t NV, bool kFetches, size_t... kRow>
constexpr auto gemm_x86_tiles(std::index_sequence<kRow...>) {
  return std::array{GemmX86Tile<V, kRow + 1, NV, kFetches>::run...};
}

// A tile of few rows waits for its own sums: a remainder is shared with the tile before it.
inline size_t gemm_x86_rows(size_t rows, size_t most) {
  if (rows >= 2 * most) return most;
  return rows > most ? (rows + 1) / 2 : rows;
}

// All rows, where the panel is NV vectors wide. Every tile fetches its share of the next panel.
template <class V, size_t NV, size_t kMost>
void run_gemm_x86(GemmTile<typename V::Element> tile) {
  static constexpr auto kRows = std::make_index_sequence<kMost>();
  static constexpr auto kFarTiles = gemm_x86_tiles<V, NV, true>(kRows);
  static constexpr auto kNearTiles = gemm_x86_tiles<V, NV, false>(kRows);
  // Half of a first-level cache.
  constexpr size_t kNearBytes = 24 * 1024;
  const size_t steps = tile.taps * tile.depth;
  const bool near = steps * NV * V::kLanes * sizeof(typename V::Element) <= kNearBytes;
  const auto& tiles = near ? kNearTiles : kFarTiles;
  const size_t share = steps * 64 / sizeof(typename V::Element);
  size_t left = tile.next == nullptr ? 0 : (steps + 1) * NV * V::kLanes;
  const typename V::Element* next = tile.next;
  while (tile.rows > 0) {
    const size_t rows = gemm_x86_rows(tile.rows, kMost);
    tiles[rows - 1](tile, left > 0 ? next : tile.b);
    tile.skip_rows(rows);
    next += std::min(share, left);
    left -= std::min(share, left);
  }
}

}  // namespace hone
