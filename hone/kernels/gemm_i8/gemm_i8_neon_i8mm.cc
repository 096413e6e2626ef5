// The tile by SMMLA (USMMLA for unsigned activations): each multiplies two rows of eight values
// with two columns and adds to a 2 x 2 block of sums.
//
// 6 x 16 takes 24 registers of sums, three of activations and five of weights. Sixteen columns
// rather than 8 x 12, since two rows of 16 outputs leave the narrowing as two vectors whose 16-bit
// halves need one UZP each to become rows.
//
// A Neoverse V1 takes 5.8 micro-operations per cycle, a load of two vectors being two: 24 products
// and 11 loads run in 6.65 cycles, 90 % of the peak. The peak is 6.
#if defined(__aarch64__)
#if defined(__GNUC__) && !defined(__clang__)
// As in the variant for SDOT.
#pragma GCC optimize("no-schedule-insns")
#endif
#include <arm_neon.h>

#include <cstddef>
#include <type_traits>

#include "hone/kernels/gemm_i8/gemm_i8_full_tile_i8mm.h"
#include "hone/kernels/gemm_i8/gemm_i8_panel.h"
#include "hone/kernels/gemm_i8/gemm_i8_requantize_neon.h"
#include "hone/kernels/gemm_i8/gemm_i8_variants.h"
#include "hone/kernels/unroll.h"

namespace hone {
namespace {

constexpr size_t kRows = 6;
constexpr size_t kColumns = 16;
constexpr size_t kStepBytes = 8 * kColumns;  // Weights of eight values of k.

int32x4_t multiply_add(int32x4_t sum, uint8x16_t a, int8x16_t w, int8_t) {
  return vmmlaq_s32(sum, vreinterpretq_s8_u8(a), w);
}
int32x4_t multiply_add(int32x4_t sum, uint8x16_t a, int8x16_t w, uint8_t) {
  return vusmmlaq_s32(sum, a, w);
}

// kPairs pairs of rows times kVectors pairs of columns, for what the full tile does not do.
template <class A, class Y, size_t kPairs, size_t kVectors>
class Tile {
  using Sums = int32x4_t[kPairs][kVectors];
  using Halves = int16x8_t[kPairs][kVectors / 2];

 public:
  [[gnu::always_inline]] static inline void run(const GemmI8Strip<A, Y>& strip,
                                                const GemmI8Panel& panel, size_t steps,
                                                const uint8_t* a, size_t rows, Y* y) {
    Sums sums;
    HONE_UNROLL
    for (size_t p = 0; p < kPairs; ++p) {
      // Loaded for every pair of rows: a load is free here, a move takes a slot of a vector pipe.
      const int32_t* bias = opaque(panel.bias);
      HONE_UNROLL
      for (size_t v = 0; v < kVectors; ++v) sums[p][v] = vld1q_s32(bias + 4 * v);
    }
    multiply(steps, a, panel.weights, sums);
    if constexpr (std::is_same_v<Y, int32_t>) {
      store_sums(strip, sums, rows, y);
    } else {
      Halves halves;
      requantize_sums(panel, sums, halves);
      store(strip, *panel.header, halves, rows, y);
    }
  }

 private:
  [[gnu::always_inline]] static inline void multiply(size_t steps, const uint8_t* a,
                                                     const int8_t* w, Sums& sums) {
    for (; steps >= 2; steps -= 2, a += 32 * kPairs, w += 2 * kStepBytes) {
      step(a, w, sums);
      step(a + 16 * kPairs, w + kStepBytes, sums);
    }
    if (steps > 0) step(a, w, sums);
  }

  [[gnu::always_inline]] static inline void step(const uint8_t* a, const int8_t* w, Sums& sums) {
    uint8x16_t rows[kPairs];
    HONE_UNROLL
    for (size_t p = 0; p < kPairs; ++p) rows[p] = vld1q_u8(a + 16 * p);
    HONE_UNROLL
    for (size_t v = 0; v < kVectors; v += 2) {
      const int8x16_t left = vld1q_s8(w + 16 * v);
      const int8x16_t right = vld1q_s8(w + 16 * v + 16);
      HONE_UNROLL
      for (size_t p = 0; p < kPairs; ++p) {
        sums[p][v] = multiply_add(sums[p][v], rows[p], left, A());
        sums[p][v + 1] = multiply_add(sums[p][v + 1], rows[p], right, A());
      }
      // Keeps the next columns' loads behind this: with all of them in front the registers do not
      // suffice, and a sum kept in memory halves the speed.
      asm volatile("" : "+w"(sums[0][v]) : : "memory");
    }
  }

  [[gnu::always_inline]] static inline void store_sums(const GemmI8Strip<A, Y>& strip,
                                                       const Sums& sums, size_t rows, int32_t* y) {
    HONE_UNROLL
    for (size_t p = 0; p < kPairs; ++p) {
      int32x4_t first[kVectors / 2], second[kVectors / 2];
      HONE_UNROLL
      for (size_t v = 0; v < kVectors / 2; ++v) {
        const int64x2_t left = vreinterpretq_s64_s32(sums[p][2 * v]);
        const int64x2_t right = vreinterpretq_s64_s32(sums[p][2 * v + 1]);
        first[v] = vreinterpretq_s32_s64(vuzp1q_s64(left, right));
        second[v] = vreinterpretq_s32_s64(vuzp2q_s64(left, right));
      }
      store_sums_neon(strip.cols, first, y);
      y += strip.y_stride;
      if (2 * p + 1 == rows) return;
      store_sums_neon(strip.cols, second, y);
      y += strip.y_stride;
    }
  }

  [[gnu::always_inline]] static inline void store(const GemmI8Strip<A>& strip,
                                                  const GemmI8PanelHeader& header,
                                                  const Halves& halves, size_t rows, A* y) {
    HONE_UNROLL
    for (size_t p = 0; p < kPairs; ++p) {
      // Per vector: o0 o1 of the first row, o0 o1 of the second, o2 o3 of the first, ...
      uint16x8_t pairs[kVectors / 4];
      HONE_UNROLL
      for (size_t v = 0; v < kVectors / 4; ++v) {
        const uint8x16_t outputs = narrow_neon(halves[p][2 * v], halves[p][2 * v + 1], A());
        pairs[v] = vreinterpretq_u16_u8(clamp_neon(outputs, header.low, header.high, A()));
      }
      const uint16x8_t low = pairs[0], high = pairs[kVectors / 4 - 1];
      store_row(strip, vreinterpretq_u8_u16(vuzp1q_u16(low, high)), y);
      y += strip.y_stride;
      if (2 * p + 1 == rows) return;
      store_row(strip, vreinterpretq_u8_u16(vuzp2q_u16(low, high)), y);
      y += strip.y_stride;
    }
  }

  [[gnu::always_inline]] static inline void store_row(const GemmI8Strip<A>& strip, uint8x16_t row,
                                                      A* y) {
    auto* to = reinterpret_cast<uint8_t*>(y);
    if (strip.cols == 2 * kVectors) {
      if constexpr (kVectors == 8) {
        vst1q_u8(to, row);
      } else {
        vst1_u8(to, vget_low_u8(row));
      }
      return;
    }
    uint8_t values[16];
    vst1q_u8(values, row);
    for (size_t c = 0; c < strip.cols; ++c) to[c] = values[c];
  }
};

// Tiles of six rows, then the rest. kFull: the panel is narrow and has all 16 columns; it rounds
// once if kOnce.
template <class A, class Y, size_t kVectors, bool kFull, bool kClamps, bool kOnce = false>
void run_strip(const GemmI8Strip<A, Y>& strip, const GemmI8Panel& panel) {
  const size_t steps = (strip.k + 7) / 8;
  const auto* a = reinterpret_cast<const uint8_t*>(strip.a);
  Y* y = strip.y;
  size_t rows = strip.rows;
  for (; rows >= kRows; rows -= kRows, a += 8 * kRows * steps, y += kRows * strip.y_stride) {
    if constexpr (kFull) {
      gemm_i8_full_tile<A, kClamps, kOnce>(panel, steps, a, y, strip.y_stride);
    } else {
      Tile<A, Y, 3, kVectors>::run(strip, panel, steps, a, kRows, y);
    }
  }
  switch ((rows + 1) / 2) {
    case 1:
      return Tile<A, Y, 1, kVectors>::run(strip, panel, steps, a, rows, y);
    case 2:
      return Tile<A, Y, 2, kVectors>::run(strip, panel, steps, a, rows, y);
    case 3:
      return Tile<A, Y, 3, kVectors>::run(strip, panel, steps, a, rows, y);
    default:
      return;
  }
}

}  // namespace

template <class A, class Y>
void gemm_i8_neon_i8mm(const GemmI8Strip<A, Y>& strip) {
  const GemmI8Panel panel(strip.panel, 2 * kColumns);
  if (strip.cols <= 8) return run_strip<A, Y, 4, false, true>(strip, panel);
  if constexpr (std::is_same_v<Y, int32_t>) {
    return run_strip<A, Y, 8, false, true>(strip, panel);
  } else {
    if (strip.cols < kColumns || !panel.header->narrow) {
      return run_strip<A, Y, 8, false, true>(strip, panel);
    }
    const bool once = panel.header->rounding == Rounding::Single;
    if (panel.header->clamps) {
      return once ? run_strip<A, Y, 8, true, true, true>(strip, panel)
                  : run_strip<A, Y, 8, true, true, false>(strip, panel);
    }
    return once ? run_strip<A, Y, 8, true, false, true>(strip, panel)
                : run_strip<A, Y, 8, true, false, false>(strip, panel);
  }
}

template void gemm_i8_neon_i8mm(const GemmI8Strip<int8_t>&);
template void gemm_i8_neon_i8mm(const GemmI8Strip<int8_t, int32_t>&);
template void gemm_i8_neon_i8mm(const GemmI8Strip<uint8_t>&);
template void gemm_i8_neon_i8mm(const GemmI8Strip<uint8_t, int32_t>&);

}  // namespace hone
#endif
