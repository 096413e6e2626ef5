// Bytes as 32-bit lanes, sixteen at a time, and TFLite's scaling of them. The same interface as
// bytes_hwy-inl.h.
#pragma once

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hone/kernels/requantize_neon.h"
#include "hone/kernels/unroll.h"
#include "hone/tensor/fixed_point.h"

namespace hone {
namespace {

struct NeonI32 {
  using Vec = int32x4_t;
  static constexpr size_t kVectors = 4;  // To the sixteen bytes of a block.

  static Vec broadcast(int32_t x) { return vdupq_n_s32(x); }
  static Vec add(Vec a, Vec b) { return vaddq_s32(a, b); }
  static Vec sub(Vec a, Vec b) { return vsubq_s32(a, b); }
  static Vec mul(Vec a, Vec b) { return vmulq_s32(a, b); }
  static Vec shift_right(Vec x, int bits) { return vshlq_s32(x, vdupq_n_s32(-bits)); }
};

template <class T>
struct NeonBytes : NeonI32 {
  static constexpr size_t kLanes = 16;
  struct Block {
    Vec v[kVectors];
  };

  // (x[0 .. 15] - zero) * 2^kShift. 64 times a difference still fits into 16 bits.
  template <int kShift>
  static Block load(const T* x, int32_t zero) {
    static_assert(kShift >= 0 && kShift <= 22);
    constexpr int kNarrow = kShift < 6 ? kShift : 6;
    const int16x8_t zeros = vdupq_n_s16(static_cast<int16_t>(zero));
    int16x8_t low, high;
    if constexpr (std::is_signed_v<T>) {
      const int8x16_t bytes = vld1q_s8(x);
      low = vsubq_s16(vmovl_s8(vget_low_s8(bytes)), zeros);
      high = vsubq_s16(vmovl_high_s8(bytes), zeros);
    } else {
      const uint8x16_t bytes = vld1q_u8(x);
      low = vsubq_s16(vreinterpretq_s16_u16(vmovl_u8(vget_low_u8(bytes))), zeros);
      high = vsubq_s16(vreinterpretq_s16_u16(vmovl_high_u8(bytes)), zeros);
    }
    if constexpr (kShift == 0) {
      return {{vmovl_s16(vget_low_s16(low)), vmovl_high_s16(low), vmovl_s16(vget_low_s16(high)),
               vmovl_high_s16(high)}};
    } else {
      low = vshlq_n_s16(low, kNarrow);
      high = vshlq_n_s16(high, kNarrow);
      constexpr int kWide = kShift - kNarrow;
      return {{vshll_n_s16(vget_low_s16(low), kWide), vshll_high_n_s16(low, kWide),
               vshll_n_s16(vget_low_s16(high), kWide), vshll_high_n_s16(high, kWide)}};
    }
  }

  // clamp(block + zero), without overflow.
  static void store(T* y, const Block& block, int32_t zero, int32_t least, int32_t most) {
    const int16x8_t zeros = vdupq_n_s16(static_cast<int16_t>(zero));
    const int16x8_t low = vqaddq_s16(vqmovn_high_s32(vqmovn_s32(block.v[0]), block.v[1]), zeros);
    const int16x8_t high = vqaddq_s16(vqmovn_high_s32(vqmovn_s32(block.v[2]), block.v[3]), zeros);
    const uint8x16_t bytes = clamp_neon(narrow_neon(low, high, T()), least, most, T());
    vst1q_u8(reinterpret_cast<uint8_t*>(y), bytes);
  }
};

// scale_by(x, factor, kRounding) of every lane of a block. Multipliers are not negative. The
// factor is the same for all, so steps that it does without are passed over block by block.
template <Rounding kRounding>
struct NeonScale {
  int32x4_t multiplier;
  int shift;

  explicit NeonScale(FixedPoint factor)
      : multiplier(vdupq_n_s32(factor.multiplier)), shift(factor.shift) {}

  template <size_t kVectors>
  void apply(int32x4_t (&x)[kVectors]) const {
    if constexpr (kRounding == Rounding::Single) {
      if (shift < 0) {
        const int32x4_t right = vdupq_n_s32(shift);
        HONE_UNROLL
        for (int32x4_t& v : x) v = scale_once_right_neon(v, multiplier, right);
        return;
      }
      HONE_UNROLL
      for (int32x4_t& v : x) v = scale_once_neon(v, multiplier, vdupq_n_s32(shift));
      return;
    }
    if (shift > 0) {
      HONE_UNROLL
      for (int32x4_t& v : x) v = vshlq_s32(v, vdupq_n_s32(shift));
    }
    HONE_UNROLL
    for (int32x4_t& v : x) v = vqrdmulhq_s32(v, multiplier);
    if (shift < 0) {
      const int32x4_t right = vdupq_n_s32(shift);
      HONE_UNROLL
      for (int32x4_t& v : x) {
        // SRSHL has ties upward; with one less, negative ones go away from zero.
        if constexpr (kRounding == Rounding::Double) v = vsraq_n_s32(v, v, 31);
        v = vrshlq_s32(v, right);
      }
    }
  }
};

}  // namespace
}  // namespace hone
