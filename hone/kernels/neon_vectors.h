// One interface over NEON's float and half vectors, so that a kernel is written once for both.
#pragma once

#include <arm_neon.h>

#include <cstddef>

namespace hone {

struct NeonF32 {
  using Element = float;
  using Vec = float32x4_t;
  static constexpr size_t kLanes = 4;
  static constexpr bool kHalf = false;  // Arithmetic in half precision.

  static Vec load(const float* x) { return vld1q_f32(x); }
  static void store(float* y, Vec x) { vst1q_f32(y, x); }
  static Vec broadcast(float x) { return vdupq_n_f32(x); }
  static Vec broadcast_from(const float* x) { return vld1q_dup_f32(x); }
  static Vec add(Vec a, Vec b) { return vaddq_f32(a, b); }
  static Vec sub(Vec a, Vec b) { return vsubq_f32(a, b); }
  static Vec mul(Vec a, Vec b) { return vmulq_f32(a, b); }
  static Vec div(Vec a, Vec b) { return vdivq_f32(a, b); }
  static Vec min(Vec a, Vec b) { return vminq_f32(a, b); }
  static Vec max(Vec a, Vec b) { return vmaxq_f32(a, b); }
  // A NaN of either operand passes through these, as it does through min and max here.
  static Vec min_or_nan(Vec a, Vec b) { return min(a, b); }
  static Vec max_or_nan(Vec a, Vec b) { return max(a, b); }
  static Vec abs(Vec x) { return vabsq_f32(x); }
  static Vec fma(Vec sum, Vec a, Vec b) { return vfmaq_f32(sum, a, b); }
  static Vec fms(Vec sum, Vec a, Vec b) { return vfmsq_f32(sum, a, b); }  // sum - a * b
  template <size_t kLane>
  static Vec fma_lane(Vec sum, Vec a, Vec b) {
    return vfmaq_laneq_f32(sum, a, b, kLane);
  }
  static Vec reciprocal(Vec x) { return vdivq_f32(vdupq_n_f32(1), x); }
  static Vec quotient(Vec a, Vec b) { return vdivq_f32(a, b); }
  // x < 0 ? a : b
  static Vec if_negative(Vec x, Vec a, Vec b) { return vbslq_f32(vcltzq_f32(x), a, b); }
  static Vec if_nan(Vec x, Vec a, Vec b) { return vbslq_f32(vceqq_f32(x, x), b, a); }
  static Vec copy_sign(Vec magnitude, Vec sign) {
    return vbslq_f32(vdupq_n_u32(0x80000000), sign, magnitude);
  }
  // The lowest bits of x moved to the place of the exponent.
  static Vec shift_to_exponent(Vec x) {
    return vreinterpretq_f32_u32(vshlq_n_u32(vreinterpretq_u32_f32(x), 23));
  }
};

#if defined(__ARM_FEATURE_FP16_VECTOR_ARITHMETIC)
struct NeonF16 {
  using Element = float16_t;
  using Vec = float16x8_t;
  static constexpr size_t kLanes = 8;
  static constexpr bool kHalf = true;

  static Vec load(const float16_t* x) { return vld1q_f16(x); }
  static void store(float16_t* y, Vec x) { vst1q_f16(y, x); }
  static Vec broadcast(float x) { return vdupq_n_f16(static_cast<float16_t>(x)); }
  static Vec broadcast_from(const float16_t* x) { return vld1q_dup_f16(x); }
  static Vec add(Vec a, Vec b) { return vaddq_f16(a, b); }
  static Vec sub(Vec a, Vec b) { return vsubq_f16(a, b); }
  static Vec mul(Vec a, Vec b) { return vmulq_f16(a, b); }
  static Vec div(Vec a, Vec b) { return vdivq_f16(a, b); }
  static Vec min(Vec a, Vec b) { return vminq_f16(a, b); }
  static Vec max(Vec a, Vec b) { return vmaxq_f16(a, b); }
  static Vec min_or_nan(Vec a, Vec b) { return min(a, b); }
  static Vec max_or_nan(Vec a, Vec b) { return max(a, b); }
  static Vec abs(Vec x) { return vabsq_f16(x); }
  static Vec fma(Vec sum, Vec a, Vec b) { return vfmaq_f16(sum, a, b); }
  static Vec fms(Vec sum, Vec a, Vec b) { return vfmsq_f16(sum, a, b); }
  template <size_t kLane>
  static Vec fma_lane(Vec sum, Vec a, Vec b) {
    return vfmaq_laneq_f16(sum, a, b, kLane);
  }
  // FRECPE has 8 bits, one step of Newton makes 16 of them: a third of FDIV's time.
  static Vec reciprocal(Vec x) {
    const Vec guess = vrecpeq_f16(x);
    return vmulq_f16(guess, vrecpsq_f16(x, guess));
  }
  static Vec quotient(Vec a, Vec b) { return vdivq_f16(a, b); }
  static Vec if_negative(Vec x, Vec a, Vec b) { return vbslq_f16(vcltzq_f16(x), a, b); }
  static Vec if_nan(Vec x, Vec a, Vec b) { return vbslq_f16(vceqq_f16(x, x), b, a); }
  static Vec copy_sign(Vec magnitude, Vec sign) {
    return vbslq_f16(vdupq_n_u16(0x8000), sign, magnitude);
  }
  static Vec shift_to_exponent(Vec x) {
    return vreinterpretq_f16_u16(vshlq_n_u16(vreinterpretq_u16_f16(x), 10));
  }
};
#endif

}  // namespace hone
