// The tile for AVX2 and AVX-512, over a vector type of x86_vectors.h: MR pixels of NV vectors of
// sums. One pointer serves all pixels: they are kStride elements apart.
#pragma once

#include <algorithm>
#include <cstddef>

#include "hone/kernels/plane_conv/plane_conv.h"
#include "hone/kernels/unroll.h"
#include "hone/kernels/x86_vectors.h"

namespace hone {

template <class V, size_t MR, size_t NV, size_t kStride>
class PlaneConvTile {
  using Vec = typename V::Vec;
  static constexpr size_t kColumns = NV * V::kLanes;

 public:
  // The pixels from `first` on; `y` is where the tile's columns of that one are, of which the last
  // vector has `last` lanes.
  static void run(const PlaneConvRow& row, const float* panel, size_t first, float* y,
                  size_t last) {
    Vec sums[MR][NV];
    HONE_UNROLL
    for (size_t n = 0; n < NV; ++n) {
      const Vec bias = V::load(panel + n * V::kLanes);
      HONE_UNROLL
      for (size_t r = 0; r < MR; ++r) sums[r][n] = bias;
    }
    const float* w = panel + kColumns;
    for (size_t line = 0; line < row.lines; ++line) {
      const float* x = row.x[line] + first * kStride;
      for (size_t tap = 0; tap < row.taps; ++tap, ++x, w += kColumns) {
        // Or g++ would keep elements for the next tap, and has no registers for them.
        asm("" : "+r"(x));
        add_products(x, w, sums);
      }
    }
    clamp(row, sums);
    store(y, row.columns, last, sums);
  }

 private:
  [[gnu::always_inline]] static inline void add_products(const float* x, const float* w,
                                                         Vec (&sums)[MR][NV]) {
    Vec weights[NV];
    HONE_UNROLL
    for (size_t n = 0; n < NV; ++n) weights[n] = V::load(w + n * V::kLanes);
    HONE_UNROLL
    for (size_t r = 0; r < MR; ++r) {
      const Vec factor = V::broadcast(x[r * kStride]);
      HONE_UNROLL
      for (size_t n = 0; n < NV; ++n) sums[r][n] = V::fma(factor, weights[n], sums[r][n]);
    }
  }

  [[gnu::always_inline]] static inline void clamp(const PlaneConvRow& row, Vec (&sums)[MR][NV]) {
    const Vec low = V::broadcast(row.low);
    const Vec high = V::broadcast(row.high);
    HONE_UNROLL
    for (size_t r = 0; r < MR; ++r) {
      // Of two operands, one of them NaN, these instructions give the second.
      HONE_UNROLL
      for (Vec& sum : sums[r]) sum = V::min(high, V::max(low, sum));
    }
  }

  [[gnu::always_inline]] static inline void store(float* y, size_t stride, size_t last,
                                                  const Vec (&sums)[MR][NV]) {
    const auto mask = V::mask(last);
    HONE_UNROLL
    for (size_t r = 0; r < MR; ++r, y += stride) {
      HONE_UNROLL
      for (size_t n = 0; n + 1 < NV; ++n) V::store(y + n * V::kLanes, sums[r][n]);
      V::store(y + (NV - 1) * V::kLanes, mask, sums[r][NV - 1]);
    }
  }
};

// One panel of NV vectors. The last tile goes over pixels of the one before it again; rows shorter
// than a tile are taken pixel by pixel.
template <class V, size_t NV, size_t kStride>
void run_plane_conv_panel(const PlaneConvRow& row, const float* panel, size_t column,
                          size_t columns) {
  // Sums, weights and a factor are in registers; more than 16 pixels gain nothing.
  constexpr size_t kMost = std::min<size_t>(16, (V::kRegisters - NV - 1) / NV);
  const size_t last = columns - (NV - 1) * V::kLanes;
  const auto at = [&](size_t pixel) { return row.y + pixel * row.columns + column; };
  if (row.pixels < kMost) {
    for (size_t pixel = 0; pixel < row.pixels; ++pixel) {
      PlaneConvTile<V, 1, NV, kStride>::run(row, panel, pixel, at(pixel), last);
    }
    return;
  }
  for (size_t pixel = 0; pixel < row.pixels; pixel += kMost) {
    const size_t first = std::min(pixel, row.pixels - kMost);
    PlaneConvTile<V, kMost, NV, kStride>::run(row, panel, first, at(first), last);
  }
}

template <class V, size_t NV>
void run_plane_conv_panel(const PlaneConvRow& row, const float* panel, size_t column,
                          size_t columns) {
  if (row.stride == 1) {
    run_plane_conv_panel<V, NV, 1>(row, panel, column, columns);
  } else {
    run_plane_conv_panel<V, NV, 2>(row, panel, column, columns);
  }
}

// Panels of kVectors vectors, the last one of fewer.
template <class V, size_t kVectors>
void run_plane_conv(const PlaneConvRow& row) {
  constexpr size_t kPanel = kVectors * V::kLanes;
  const float* panel = row.panels;
  for (size_t column = 0; column < row.columns; column += kPanel) {
    const size_t columns = std::min(kPanel, row.columns - column);
    const size_t vectors = (columns + V::kLanes - 1) / V::kLanes;
    if (vectors == 1) run_plane_conv_panel<V, 1>(row, panel, column, columns);
    if (vectors == 2) run_plane_conv_panel<V, 2>(row, panel, column, columns);
    if constexpr (kVectors > 2) {
      if (vectors == 3) run_plane_conv_panel<V, 3>(row, panel, column, columns);
      if (vectors == 4) run_plane_conv_panel<V, 4>(row, panel, column, columns);
    }
    panel += (1 + row.lines * row.taps) * kPanel;
  }
}

}  // namespace hone
