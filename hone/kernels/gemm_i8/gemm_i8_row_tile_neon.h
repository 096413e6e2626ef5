// The tile of the NEON variants whose vectors of sums are four columns of one row.
#pragma once

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hone/kernels/gemm_i8/gemm_i8.h"
#include "hone/kernels/gemm_i8/gemm_i8_panel.h"
#include "hone/kernels/gemm_i8/gemm_i8_requantize_neon.h"
#include "hone/kernels/gemm_i8/gemm_i8_tiles.h"
#include "hone/kernels/unroll.h"

namespace hone {
namespace {

constexpr size_t kGemmI8Rows = 6;
constexpr size_t kGemmI8Columns = 16;

// Six rows of 16 columns. Products::add(a, w, sums) adds, for kPairs pairs of rows, the products of
// eight values of k: two rows of activations to a vector, 128 weights.
template <class A, class Y, class Products>
class GemmI8RowTile {
 public:
  static void run(const GemmI8Strip<A, Y>& strip) {
    const GemmI8Panel panel(strip.panel, kGemmI8Columns);
    for_each_tile<kGemmI8Rows>(strip, [&]<size_t kRows>(const uint8_t* a, size_t rows, Y* y) {
      tile<kRows / 2>(strip, panel, reinterpret_cast<const int8_t*>(a), rows, y);
    });
  }

 private:
  template <size_t kPairs>
  static void tile(const GemmI8Strip<A, Y>& strip, const GemmI8Panel& panel, const int8_t* a,
                   size_t rows, Y* y) {
    int32x4_t sums[2 * kPairs][4];
    HONE_UNROLL
    for (size_t r = 0; r < 2 * kPairs; ++r) {
      const int32_t* bias = opaque(panel.bias);
      HONE_UNROLL
      for (size_t v = 0; v < 4; ++v) sums[r][v] = vld1q_s32(bias + 4 * v);
    }
    const int8_t* w = panel.weights;
    for (size_t k = 0; k < strip.k; k += 8, a += 16 * kPairs, w += 8 * kGemmI8Columns) {
      Products::template add<kPairs>(a, w, sums);
    }
    if constexpr (std::is_same_v<Y, int32_t>) {
      HONE_UNROLL
      for (size_t r = 0; r < 2 * kPairs; ++r, y += strip.y_stride) {
        if (r >= rows) return;
        store_sums_neon(strip.cols, sums[r], y);
      }
    } else {
      store_bytes<kPairs>(strip, panel, sums, rows, y);
    }
  }

  template <size_t kPairs>
  [[gnu::always_inline]] static inline void store_bytes(const GemmI8Strip<A, Y>& strip,
                                                        const GemmI8Panel& panel,
                                                        int32x4_t (&sums)[2 * kPairs][4],
                                                        size_t rows, A* y) {
    int16x8_t halves[2 * kPairs][2];
    requantize_sums(panel, sums, halves);
    HONE_UNROLL
    for (size_t r = 0; r < 2 * kPairs; ++r, y += strip.y_stride) {
      if (r >= rows) return;
      const uint8x16_t outputs = narrow_neon(halves[r][0], halves[r][1], A());
      store(strip.cols, clamp_neon(outputs, panel.header->low, panel.header->high, A()), y);
    }
  }

  [[gnu::always_inline]] static inline void store(size_t cols, uint8x16_t row, A* y) {
    auto* to = reinterpret_cast<uint8_t*>(y);
    if (cols == kGemmI8Columns) {
      vst1q_u8(to, row);
      return;
    }
    uint8_t values[kGemmI8Columns];
    vst1q_u8(values, row);
    for (size_t c = 0; c < cols; ++c) to[c] = values[c];
  }
};

}  // namespace
}  // namespace hone
