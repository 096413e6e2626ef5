// Sums to bytes with NEON, the steps that kernels share. scale_* are scale_by of four sums, each
// with a factor of its own; multipliers are not negative.
#pragma once

#include <arm_neon.h>

#include <cstdint>

#include "hone/tensor/fixed_point.h"

namespace hone {
namespace {

// For the two rules that round twice. SQRDMULH is saturating_rounding_doubling_high_mul; SRSHL
// shifts to the right with ties upward, so ties away from zero take one off negative values first,
// where they are shifted at all. Nothing saturates, as multipliers are not negative.
inline int32x4_t scale_twice_neon(int32x4_t x, int32x4_t multiplier, int32x4_t shift, bool upward) {
  const int32x4_t zero = vdupq_n_s32(0);
  const int32x4_t right = vminq_s32(shift, zero);
  const int32x4_t high = vqrdmulhq_s32(vshlq_s32(x, vmaxq_s32(shift, zero)), multiplier);
  return vrshlq_s32(upward ? high : vsraq_n_s32(high, vandq_s32(high, right), 31), right);
}

// For Rounding::Single and shifts to the right. SQDMULH cuts off what is below the last bit, which
// leaves the one rounding, that of SRSHL, as it would be of the whole product:
// floor((floor(p) + h) / 2^s) = floor((p + h) / 2^s) for whole h.
inline int32x4_t scale_once_right_neon(int32x4_t x, int32x4_t multiplier, int32x4_t shift) {
  return vrshlq_s32(vqdmulhq_s32(x, multiplier), shift);
}

// For Rounding::Single: 64-bit products, rounded once.
inline int32x4_t scale_once_neon(int32x4_t x, int32x4_t multiplier, int32x4_t shift) {
  if (vmaxvq_s32(shift) < 0) return scale_once_right_neon(x, multiplier, shift);
  const int32x4_t by = vsubq_s32(shift, vdupq_n_s32(31));
  const int64x2_t low =
      vrshlq_s64(vmull_s32(vget_low_s32(x), vget_low_s32(multiplier)), vmovl_s32(vget_low_s32(by)));
  const int64x2_t high = vrshlq_s64(vmull_high_s32(x, multiplier), vmovl_high_s32(by));
  return vmovn_high_s64(vmovn_s64(low), high);
}

inline int32x4_t scale_by_neon(int32x4_t x, int32x4_t multiplier, int32x4_t shift,
                               Rounding rounding) {
  if (rounding == Rounding::Single) return scale_once_neon(x, multiplier, shift);
  return scale_twice_neon(x, multiplier, shift, rounding == Rounding::DoubleUpward);
}

// Sixteen outputs, saturated to the element type.
inline uint8x16_t narrow_neon(int16x8_t low, int16x8_t high, int8_t) {
  return vreinterpretq_u8_s8(vqmovn_high_s16(vqmovn_s16(low), high));
}
inline uint8x16_t narrow_neon(int16x8_t low, int16x8_t high, uint8_t) {
  return vqmovun_high_s16(vqmovun_s16(low), high);
}

inline uint8x16_t clamp_neon(uint8x16_t y, int32_t low, int32_t high, int8_t) {
  const int8x16_t least = vdupq_n_s8(static_cast<int8_t>(low));
  const int8x16_t most = vdupq_n_s8(static_cast<int8_t>(high));
  return vreinterpretq_u8_s8(vminq_s8(vmaxq_s8(vreinterpretq_s8_u8(y), least), most));
}
inline uint8x16_t clamp_neon(uint8x16_t y, int32_t low, int32_t high, uint8_t) {
  const uint8x16_t least = vdupq_n_u8(static_cast<uint8_t>(low));
  const uint8x16_t most = vdupq_n_u8(static_cast<uint8_t>(high));
  return vminq_u8(vmaxq_u8(y, least), most);
}

}  // namespace
}  // namespace hone
