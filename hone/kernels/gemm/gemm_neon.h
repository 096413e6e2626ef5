// The tile for NEON, over any vector type: MR rows of NV vectors of sums. A vector holds four or
// eight values of k of one row of a, and multiplies b lane by lane.
//
// Four pipes with a latency of four cycles want 16 sums in flight at least. Measured on Neoverse-V1
// with g++ 12, f32, percent of peak at 196x1024x256: 4x4 vectors 81, 5x4 85, 8x2 61; 6x4 takes all
// 32 registers, spills and gets 74, so it is in assembly (gemm_full_tile_neon.h). Reading a through
// its row pointers instead of packing it first costs nothing: a row's vector of k feeds 16
// multiply-adds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "hone/kernels/gemm/gemm.h"
#include "hone/kernels/gemm/gemm_full_tile_neon.h"
#include "hone/kernels/unroll.h"

namespace hone {

// kPanel: vectors in a row of the panel, of which the tile takes the first NV.
template <class V, size_t MR, size_t NV, size_t kPanel>
class GemmNeonTile {
  using T = typename V::Element;
  using Vec = typename V::Vec;
  static constexpr size_t kLanes = V::kLanes;
  static constexpr size_t kColumns = NV * kLanes;
  static constexpr size_t kPanelColumns = kPanel * kLanes;

 public:
  template <class Storage>
  static void run(const GemmTile<Storage>& tile) {
    Vec sums[MR][NV];
    const T* b = reinterpret_cast<const T*>(tile.b);
    HONE_UNROLL
    for (size_t n = 0; n < NV; ++n) {
      const Vec bias = V::load(b + n * kLanes);
      HONE_UNROLL
      for (size_t r = 0; r < MR; ++r) sums[r][n] = bias;
    }
    b += kPanelColumns;
    const Storage* const* pointers = tile.a;
    for (size_t t = 0; t < tile.taps; ++t, ++pointers) {
      const T* a[MR];
      HONE_UNROLL
      for (size_t r = 0; r < MR; ++r) a[r] = reinterpret_cast<const T*>(pointers[r * tile.taps]);
      b = accumulate(tile.depth, a, b, sums);
    }
    finish(tile, sums);
  }

 private:
  [[gnu::always_inline]] static inline const T* accumulate(size_t depth, const T* (&a)[MR],
                                                           const T* b, Vec (&sums)[MR][NV]) {
    size_t k = 0;
    for (; k + kLanes <= depth; k += kLanes) {
      Vec rows[MR];
      HONE_UNROLL
      for (size_t r = 0; r < MR; ++r) rows[r] = V::load(a[r] + k);
      every_lane(rows, b, sums, std::make_index_sequence<kLanes>());
      b += kLanes * kPanelColumns;
    }
    for (; k < depth; ++k, b += kPanelColumns) {
      HONE_UNROLL
      for (size_t n = 0; n < NV; ++n) {
        const Vec column = V::load(b + n * kLanes);
        HONE_UNROLL
        for (size_t r = 0; r < MR; ++r) {
          sums[r][n] = V::fma(sums[r][n], column, V::broadcast_from(a[r] + k));
        }
      }
    }
    return b;
  }

  template <size_t... kLane>
  [[gnu::always_inline]] static inline void every_lane(const Vec (&rows)[MR], const T* b,
                                                       Vec (&sums)[MR][NV],
                                                       std::index_sequence<kLane...>) {
    (one_lane<kLane>(rows, b + kLane * kPanelColumns, sums), ...);
  }

  template <size_t kLane>
  [[gnu::always_inline]] static inline void one_lane(const Vec (&rows)[MR], const T* b,
                                                     Vec (&sums)[MR][NV]) {
    HONE_UNROLL
    for (size_t n = 0; n < NV; ++n) {
      const Vec column = V::load(b + n * kLanes);
      HONE_UNROLL
      for (size_t r = 0; r < MR; ++r) {
        sums[r][n] = V::template fma_lane<kLane>(sums[r][n], column, rows[r]);
      }
    }
  }

  template <class Storage>
  [[gnu::always_inline]] static inline void finish(const GemmTile<Storage>& tile,
                                                   Vec (&sums)[MR][NV]) {
    const Vec low = V::broadcast(tile.low);
    const Vec high = V::broadcast(tile.high);
    if (tile.cols == kColumns) {
      const T* residual = reinterpret_cast<const T*>(tile.residual);
      T* c = reinterpret_cast<T*>(tile.c);
      HONE_UNROLL
      for (size_t r = 0; r < MR; ++r, c += tile.c_stride) {
        HONE_UNROLL
        for (size_t n = 0; n < NV; ++n) {
          Vec y = sums[r][n];
          if (residual != nullptr) y = V::add(y, V::load(residual + n * kLanes));
          V::store(c + n * kLanes, V::min(V::max(y, low), high));
        }
        if (residual != nullptr) residual += tile.residual_stride;
      }
      return;
    }
    // Fewer columns than the tile has: by way of a buffer, so that the sums never need an address.
    T row[kColumns];
    HONE_UNROLL
    for (size_t r = 0; r < MR; ++r) {
      load_residual(tile, r, row);
      HONE_UNROLL
      for (size_t n = 0; n < NV; ++n) {
        const Vec y = V::add(sums[r][n], V::load(row + n * kLanes));
        V::store(row + n * kLanes, V::min(V::max(y, low), high));
      }
      T* to = reinterpret_cast<T*>(tile.c) + r * tile.c_stride;
      for (size_t n = 0; n < tile.cols; ++n) to[n] = row[n];
    }
  }

  // `cols` values of a row of the residual, or zeros.
  template <class Storage>
  [[gnu::noinline]] static void load_residual(const GemmTile<Storage>& tile, size_t r,
                                              T (&row)[kColumns]) {
    for (T& value : row) value = 0;
    if (tile.residual == nullptr) return;
    const T* from = reinterpret_cast<const T*>(tile.residual) + r * tile.residual_stride;
    for (size_t n = 0; n < tile.cols; ++n) row[n] = from[n];
  }
};

// As many rows as the tile has, and as many vectors of columns as it needs: a layer of 24 channels
// takes a panel of 16 and half of the next.
template <class V, size_t MR, class Storage>
void run_gemm_columns(const GemmTile<Storage>& tile) {
  switch ((tile.cols + V::kLanes - 1) / V::kLanes) {
    case 1:
      return GemmNeonTile<V, MR, 1, 4>::run(tile);
    case 2:
      return GemmNeonTile<V, MR, 2, 4>::run(tile);
    case 3:
      return GemmNeonTile<V, MR, 3, 4>::run(tile);
    default:
      return GemmNeonTile<V, MR, 4, 4>::run(tile);
  }
}

inline constexpr size_t kGemmFullRows = 6;

// A full tile by way of a buffer, for the last columns of a product.
template <class V, class Storage>
[[gnu::noinline]] void run_gemm_partial_tile(const GemmTile<Storage>& tile) {
  constexpr size_t kColumns = 4 * V::kLanes;
  Storage sums[kGemmFullRows][kColumns];
  Storage residual[kGemmFullRows][kColumns] = {};
  GemmTile<Storage> full = tile;
  full.c = sums[0];
  full.c_stride = kColumns;
  if (tile.residual != nullptr) {
    for (size_t r = 0; r < kGemmFullRows; ++r) {
      std::copy_n(tile.residual + r * tile.residual_stride, tile.cols, residual[r]);
    }
    full.residual = residual[0];
    full.residual_stride = kColumns;
  }
  gemm_full_tiles_neon<V>(full, 1);
  for (size_t r = 0; r < kGemmFullRows; ++r) {
    std::copy_n(sums[r], tile.cols, tile.c + r * tile.c_stride);
  }
}

template <class V, class Storage>
void run_gemm_six_rows(const GemmTile<Storage>& tile) {
  switch ((tile.cols + V::kLanes - 1) / V::kLanes) {
    case 1:
      return GemmNeonTile<V, kGemmFullRows, 1, 4>::run(tile);
    case 2:
      return GemmNeonTile<V, kGemmFullRows, 2, 4>::run(tile);
    case 3:
      return GemmNeonTile<V, kGemmFullRows, 3, 4>::run(tile);
    default:
      return run_gemm_partial_tile<V>(tile);
  }
}

template <class V, class Storage>
void run_gemm_few_rows(const GemmTile<Storage>& tile) {
  switch (tile.rows) {
    case 0:
      return;
    case 1:
      return run_gemm_columns<V, 1>(tile);
    case 2:
      return run_gemm_columns<V, 2>(tile);
    case 3:
      return run_gemm_columns<V, 3>(tile);
    case 4:
      return run_gemm_columns<V, 4>(tile);
    default:
      return run_gemm_columns<V, 5>(tile);
  }
}

// The full tiles of so many rows. A tile of one row has four sums in flight where sixteen are
// wanted and takes as long as four rows, so that 6 + 1 rows are better cut into 4 + 3: an image of
// 7x7, 49 rows, reaches 82.3 % of peak at k = 4608 instead of 81.2.
inline size_t gemm_full_tiles(size_t rows) {
  const size_t tiles = rows / kGemmFullRows;
  return tiles > 0 && rows % kGemmFullRows == 1 ? tiles - 1 : tiles;
}

template <class V, class Storage>
void run_gemm_neon(const GemmTile<Storage>& tile) {
  GemmTile<Storage> rest = tile;
  const size_t tiles = gemm_full_tiles(tile.rows);
  if (tile.cols == 4 * V::kLanes && tiles > 0) {
    gemm_full_tiles_neon<V>(tile, tiles);
    rest.skip_rows(tiles * kGemmFullRows);
  }
  for (; rest.rows > kGemmFullRows + 1 || rest.rows == kGemmFullRows;
       rest.skip_rows(kGemmFullRows)) {
    run_gemm_six_rows<V>(rest);
  }
  if (rest.rows > kGemmFullRows) {
    GemmTile<Storage> four = rest;
    four.rows = 4;
    run_gemm_few_rows<V>(four);
    rest.skip_rows(4);
  }
  run_gemm_few_rows<V>(rest);
}

}  // namespace hone
