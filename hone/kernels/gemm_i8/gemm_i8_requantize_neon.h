// Sums to 16-bit outputs, four at a time, for the NEON tiles.
#pragma once

#include <arm_neon.h>

#include <cstddef>

#include "hone/kernels/gemm_i8/gemm_i8_panel.h"
#include "hone/kernels/unroll.h"

namespace hone {
namespace {

// scale_by for the two rules that round twice. SQRDMULH is saturating_rounding_doubling_high_mul;
// SRSHL shifts to the right with ties upward, so ties away from zero take one off negative values
// first, where they are shifted at all. Multipliers are not negative, so nothing saturates.
inline int32x4_t scale_twice_neon(int32x4_t x, int32x4_t multiplier, int32x4_t shift, bool upward) {
  const int32x4_t zero = vdupq_n_s32(0);
  const int32x4_t right = vminq_s32(shift, zero);
  const int32x4_t high = vqrdmulhq_s32(vshlq_s32(x, vmaxq_s32(shift, zero)), multiplier);
  return vrshlq_s32(upward ? high : vsraq_n_s32(high, vandq_s32(high, right), 31), right);
}

// scale_by for Rounding::Single: 64-bit products, rounded once.
inline int32x4_t scale_once_neon(int32x4_t x, int32x4_t multiplier, int32x4_t shift) {
  const int32x4_t by = vsubq_s32(shift, vdupq_n_s32(31));
  const int64x2_t low = vmull_s32(vget_low_s32(x), vget_low_s32(multiplier));
  const int64x2_t high = vmull_high_s32(x, multiplier);
  return vcombine_s32(vmovn_s64(vrshlq_s64(low, vmovl_s32(vget_low_s32(by)))),
                      vmovn_s64(vrshlq_s64(high, vmovl_high_s32(by))));
}

// Any rounding, any shift, in place. `vectors` to a row of constants.
[[gnu::noinline]] inline void scale_sums_neon(const GemmI8Panel& panel, size_t rows, size_t vectors,
                                              int32_t* sums) {
  const Rounding rounding = panel.header->rounding;
  for (size_t r = 0; r < rows; ++r) {
    for (size_t v = 0; v < vectors; ++v, sums += 4) {
      const int32x4_t multiplier = vld1q_s32(panel.multipliers + 4 * v);
      const int32x4_t shift = vld1q_s32(panel.shifts + 4 * v);
      const int32x4_t x = vld1q_s32(sums);
      vst1q_s32(sums,
                rounding == Rounding::Single
                    ? scale_once_neon(x, multiplier, shift)
                    : scale_twice_neon(x, multiplier, shift, rounding == Rounding::DoubleUpward));
    }
  }
}

// The same of sums in a `narrow` panel: (x < 0) is -1 in a mask.
inline int32x4_t scale_narrow_neon(int32x4_t x, int32x4_t multiplier, int32x4_t shift) {
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

// Outputs with the zero point added, before the clamp. For panels that are `narrow`.
template <size_t kRows, size_t kVectors>
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
      sums[r][v] = scale_narrow_neon(sums[r][v], multiplier, shift);
      if (v % 2 == 0) continue;
      const int16x8_t x =
          vuzp1q_s16(vreinterpretq_s16_s32(sums[r][v - 1]), vreinterpretq_s16_s32(sums[r][v]));
      halves[r][v / 2] = vaddq_s16(x, zero_point);
    }
  }
}

// The same for any panel, saturated to 16 bits.
template <size_t kRows, size_t kVectors>
[[gnu::always_inline]] inline void requantize_any(const GemmI8Panel& panel,
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

// Sixteen outputs, saturated to the element type.
inline uint8x16_t narrow_neon(int16x8_t low, int16x8_t high, int8_t) {
  return vreinterpretq_u8_s8(vqmovn_high_s16(vqmovn_s16(low), high));
}
inline uint8x16_t narrow_neon(int16x8_t low, int16x8_t high, uint8_t) {
  return vqmovun_high_s16(vqmovun_s16(low), high);
}

inline uint8x16_t clamp_neon(uint8x16_t y, const GemmI8PanelHeader& header, int8_t) {
  const int8x16_t low = vdupq_n_s8(static_cast<int8_t>(header.low));
  const int8x16_t high = vdupq_n_s8(static_cast<int8_t>(header.high));
  return vreinterpretq_u8_s8(vminq_s8(vmaxq_s8(vreinterpretq_s8_u8(y), low), high));
}
inline uint8x16_t clamp_neon(uint8x16_t y, const GemmI8PanelHeader& header, uint8_t) {
  const uint8x16_t low = vdupq_n_u8(static_cast<uint8_t>(header.low));
  const uint8x16_t high = vdupq_n_u8(static_cast<uint8_t>(header.high));
  return vminq_u8(vmaxq_u8(y, low), high);
}

}  // namespace
}  // namespace hone
