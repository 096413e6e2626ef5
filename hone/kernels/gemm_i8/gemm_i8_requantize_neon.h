// Sums to 16-bit outputs, four at a time, for the NEON tiles.
#pragma once

#include <arm_neon.h>

#include <cstddef>

#include "hone/kernels/gemm_i8/gemm_i8_panel.h"
#include "hone/kernels/requantize_neon.h"
#include "hone/kernels/unroll.h"

namespace hone {
namespace {

// Any rounding, any shift, in place. `vectors` to a row of constants.
[[gnu::noinline]] inline void scale_sums_neon(const GemmI8Panel& panel, size_t rows, size_t vectors,
                                              int32_t* sums) {
  const Rounding rounding = panel.header->rounding;
  for (size_t r = 0; r < rows; ++r) {
    for (size_t v = 0; v < vectors; ++v, sums += 4) {
      const int32x4_t multiplier = vld1q_s32(panel.multipliers + 4 * v);
      const int32x4_t shift = vld1q_s32(panel.shifts + 4 * v);
      vst1q_s32(sums, scale_by_neon(vld1q_s32(sums), multiplier, shift, rounding));
    }
  }
}

// The same of sums in a `narrow` panel: (x < 0) is -1 in a mask.
template <bool kOnce>
inline int32x4_t scale_narrow_neon(int32x4_t x, int32x4_t multiplier, int32x4_t shift) {
  if constexpr (kOnce) return scale_once_right_neon(x, multiplier, shift);
  const int32x4_t negative = vreinterpretq_s32_u32(vcltzq_s32(x));
#if defined(__ARM_FEATURE_QRDMX)
  return vrshlq_s32(vqrdmlahq_s32(negative, x, multiplier), shift);
#else
  return vrshlq_s32(vaddq_s32(negative, vqrdmulhq_s32(x, multiplier)), shift);
#endif
}

// The same pointer, of which the compiler knows nothing: what is behind it is loaded again rather
// than moved from one register to another, which takes a slot of a vector pipe.
inline const int32_t* opaque(const int32_t* p) {
  asm volatile("" : "+r"(p));
  return p;
}

// Outputs with the zero point added, before the clamp. For panels that are `narrow`; kOnce where
// they round once.
template <bool kOnce, size_t kRows, size_t kVectors>
[[gnu::always_inline]] inline void requantize_narrow(const GemmI8Panel& panel,
                                                     int32x4_t (&sums)[kRows][kVectors],
                                                     int16x8_t (&halves)[kRows][kVectors / 2]) {
  const int16x8_t zero_point = vdupq_n_s16(static_cast<int16_t>(panel.header->zero_point));
  HONE_UNROLL
  for (size_t v = 0; v < kVectors; ++v) {
    const int32x4_t multiplier = vld1q_s32(panel.multipliers + 4 * v);
    const int32x4_t shift = vld1q_s32(panel.shifts + 4 * v);
    HONE_UNROLL
    for (size_t r = 0; r < kRows; ++r) {
      sums[r][v] = scale_narrow_neon<kOnce>(sums[r][v], multiplier, shift);
      if (v % 2 == 0) continue;
      const int16x8_t x =
          vuzp1q_s16(vreinterpretq_s16_s32(sums[r][v - 1]), vreinterpretq_s16_s32(sums[r][v]));
      halves[r][v / 2] = vaddq_s16(x, zero_point);
    }
  }
}

// The same for any panel, saturated to 16 bits.
template <size_t kRows, size_t kVectors>
[[gnu::always_inline]] inline void requantize_wide(const GemmI8Panel& panel,
                                                   int32x4_t (&sums)[kRows][kVectors],
                                                   int16x8_t (&halves)[kRows][kVectors / 2]) {
  int32_t buffer[kRows * kVectors * 4];
  HONE_UNROLL
  for (size_t r = 0; r < kRows; ++r) {
    HONE_UNROLL
    for (size_t v = 0; v < kVectors; ++v) vst1q_s32(buffer + 4 * (r * kVectors + v), sums[r][v]);
  }
  scale_sums_neon(panel, kRows, kVectors, buffer);
  const int16x8_t zero_point = vdupq_n_s16(static_cast<int16_t>(panel.header->zero_point));
  HONE_UNROLL
  for (size_t r = 0; r < kRows; ++r) {
    HONE_UNROLL
    for (size_t v = 0; v < kVectors / 2; ++v) {
      const int32_t* from = buffer + 4 * (r * kVectors + 2 * v);
      const int16x8_t x = vqmovn_high_s32(vqmovn_s32(vld1q_s32(from)), vld1q_s32(from + 4));
      halves[r][v] = vqaddq_s16(x, zero_point);
    }
  }
}

// The one of the three that suits the panel.
template <size_t kRows, size_t kVectors>
[[gnu::always_inline]] inline void requantize_sums(const GemmI8Panel& panel,
                                                   int32x4_t (&sums)[kRows][kVectors],
                                                   int16x8_t (&halves)[kRows][kVectors / 2]) {
  if (!panel.header->narrow) {
    requantize_wide(panel, sums, halves);
  } else if (panel.header->rounding == Rounding::Single) {
    requantize_narrow<true>(panel, sums, halves);
  } else {
    requantize_narrow<false>(panel, sums, halves);
  }
}

// One row of sums as they are; `cols` of them count.
template <size_t kVectors>
[[gnu::always_inline]] inline void store_sums_neon(size_t cols, const int32x4_t (&sums)[kVectors],
                                                   int32_t* y) {
  if (cols == 4 * kVectors) {
    HONE_UNROLL
    for (size_t v = 0; v < kVectors; ++v) vst1q_s32(y + 4 * v, sums[v]);
    return;
  }
  int32_t values[4 * kVectors];
  HONE_UNROLL
  for (size_t v = 0; v < kVectors; ++v) vst1q_s32(values + 4 * v, sums[v]);
  for (size_t c = 0; c < cols; ++c) y[c] = values[c];
}

}  // namespace
}  // namespace hone
