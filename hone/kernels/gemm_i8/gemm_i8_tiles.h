// The walk over a strip of rows, for variants whose tiles come in thirds: 6, 4 or 2 rows of 6.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hone/kernels/gemm_i8/gemm_i8.h"

namespace hone {
namespace {

// Calls tile.operator()<kTileRows>(a, rows, y) for every kRows rows: `a` are kTileRows rows of
// packed activations, enough for the `rows` that are left.
template <size_t kRows, class A, class Y, class Tile>
[[gnu::always_inline]] inline void for_each_tile(const GemmI8Strip<A, Y>& strip, const Tile& tile) {
  constexpr size_t kThird = kRows / 3;
  const size_t row_bytes = (strip.k + 7) / 8 * 8;
  const auto* a = reinterpret_cast<const uint8_t*>(strip.a);
  Y* y = strip.y;
  for (size_t row = 0; row < strip.rows; row += kRows) {
    const size_t rows = strip.rows - row;
    if (rows > 2 * kThird) {
      tile.template operator()<kRows>(a, rows, y);
    } else if (rows > kThird) {
      tile.template operator()<2 * kThird>(a, rows, y);
    } else {
      tile.template operator()<kThird>(a, rows, y);
    }
    a += kRows * row_bytes;
    y += kRows * strip.y_stride;
  }
}

}  // namespace
}  // namespace hone
