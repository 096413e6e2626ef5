// Compiled with -march=armv8.2-a+dotprod; reached only through depthwise_i8_variants() and
// depthwise_u8_variants(). On a Neoverse V1 SDOT and ZIP run 4 to a cycle, multiplications of bytes
// to 16 bits only 2.
#if defined(__aarch64__)
#include <arm_neon.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "hone/kernels/depthwise/depthwise.h"
#include "hone/kernels/requantize_neon.h"
#include "hone/kernels/unroll.h"

namespace hone {
namespace {

constexpr size_t kGroup = 16;
#include "hone/kernels/depthwise/depthwise_integer.inc"

struct OpsDot {
  using Weight = int8_t;
  using Vec = int8x16_t;
  using Sum = int32x4_t;
  static constexpr size_t kTaps = 4;
  static constexpr size_t kSums = 4;
  static constexpr bool kMasked = false;
  static constexpr size_t kMaxCols = 4;
  static constexpr size_t kOrder[kGroup] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  template <class T>
  static constexpr int32_t kOffset = std::numeric_limits<T>::min() == 0 ? 128 : 0;

  HONE_INLINE static Vec load(const char* p) {
    return vld1q_s8(reinterpret_cast<const int8_t*>(p));
  }
  // Always by a load, which the compiler would replace by a copy of the last one: copies cost a
  // pipe.
  HONE_INLINE static Sum load_sums(const int32_t* p) {
    Sum sum;
    asm volatile("ldr %q0, %1" : "=w"(sum) : "m"(*reinterpret_cast<const Sum*>(p)));
    return sum;
  }
  HONE_INLINE static Sum dot(Sum sum, Vec x, Vec w) { return vdotq_s32(sum, x, w); }

  HONE_INLINE static Vec load_x(const int8_t* x) { return vld1q_s8(x); }
  HONE_INLINE static Vec load_x(const uint8_t* x) {
    return vreinterpretq_s8_u8(veorq_u8(vld1q_u8(x), vdupq_n_u8(0x80)));
  }
  template <bool kSome, class T>
  HONE_INLINE static Vec load_group(const T* x, size_t channels) {
    if constexpr (!kSome) return load_x(x);
    T bytes[kGroup] = {};
    std::copy_n(x, channels, bytes);
    return load_x(bytes);
  }

  template <bool kSome, class T>
  HONE_INLINE static void interleave(const T* const (&rows)[kTaps], size_t channels, char* to,
                                     size_t plane) {
    const Vec a = load_group<kSome>(rows[0], channels), b = load_group<kSome>(rows[1], channels);
    const Vec c = load_group<kSome>(rows[2], channels), d = load_group<kSome>(rows[3], channels);
    const int16x8_t ab0 = vreinterpretq_s16_s8(vzip1q_s8(a, b));
    const int16x8_t ab1 = vreinterpretq_s16_s8(vzip2q_s8(a, b));
    const int16x8_t cd0 = vreinterpretq_s16_s8(vzip1q_s8(c, d));
    const int16x8_t cd1 = vreinterpretq_s16_s8(vzip2q_s8(c, d));
    const auto store_vector = [&](size_t i, int16x8_t v) {
      vst1q_s8(reinterpret_cast<int8_t*>(to + i * plane), vreinterpretq_s8_s16(v));
    };
    store_vector(0, vzip1q_s16(ab0, cd0));
    store_vector(1, vzip2q_s16(ab0, cd0));
    store_vector(2, vzip1q_s16(ab1, cd1));
    store_vector(3, vzip2q_s16(ab1, cd1));
  }

  // The narrow ways fold the zero point and the rounding of the shift into the addend of SQRDMLAH,
  // or of a product that is cut off (scale_once_right_neon).
  template <Scaling kScaling>
  HONE_INLINE static Sum requantize(Sum sum, const Header& header, const int32_t* k) {
    const Sum multiplier = vld1q_s32(k + kMultipliers);
    const Sum shift = vld1q_s32(k + kShifts);
    if constexpr (kScaling == Scaling::Any) {
      const Sum y = scale_by_neon(sum, multiplier, shift, header.rounding);
      return vqaddq_s32(y, vdupq_n_s32(header.zero_point));
    } else if constexpr (kScaling == Scaling::Once) {
      return vshlq_s32(vaddq_s32(load_sums(k + kOffsets), vqdmulhq_s32(sum, multiplier)), shift);
    } else {
      Sum offset = load_sums(k + kOffsets);
      if constexpr (kScaling == Scaling::Away) offset = vsraq_n_s32(offset, sum, 31);
      return vshlq_s32(vqrdmlahq_s32(offset, sum, multiplier), shift);
    }
  }

  template <class T>
  struct Limits {
    uint8x8_t low, high;
    Limits(const Header& header, size_t /*channels*/)
        : low(vdup_n_u8(static_cast<uint8_t>(header.low))),
          high(vdup_n_u8(static_cast<uint8_t>(header.high))) {}
  };
  template <bool kClamp>
  HONE_INLINE static void store_bytes(int16x8_t y, const Limits<int8_t>& limits, int8_t* to) {
    int8x8_t bytes = vqmovn_s16(y);
    if constexpr (kClamp) {
      bytes = vmax_s8(bytes, vreinterpret_s8_u8(limits.low));
      bytes = vmin_s8(bytes, vreinterpret_s8_u8(limits.high));
    }
    vst1_s8(to, bytes);
  }
  template <bool kClamp>
  HONE_INLINE static void store_bytes(int16x8_t y, const Limits<uint8_t>& limits, uint8_t* to) {
    uint8x8_t bytes = vqmovun_s16(y);
    if constexpr (kClamp) bytes = vmin_u8(vmax_u8(bytes, limits.low), limits.high);
    vst1_u8(to, bytes);
  }
  template <Scaling kScaling, bool kClamp, class T>
  HONE_INLINE static void store(Sum low, Sum high, const Limits<T>& limits, T* to) {
    if constexpr (kScaling == Scaling::Any) {
      store_bytes<kClamp>(vqmovn_high_s32(vqmovn_s32(low), high), limits, to);
    } else {
      store_bytes<kClamp>(vuzp1q_s16(vreinterpretq_s16_s32(low), vreinterpretq_s16_s32(high)),
                          limits, to);
    }
  }
};

using Kernels = IntegerKernels<OpsDot>;

}  // namespace

extern const DepthwiseI8 depthwise_i8_neon_dot = {Kernels::packed_bytes, Kernels::pack<int8_t>,
                                                  Kernels::scratch_bytes, Kernels::run<int8_t>};
extern const DepthwiseU8 depthwise_u8_neon_dot = {Kernels::packed_bytes, Kernels::pack<uint8_t>,
                                                  Kernels::scratch_bytes, Kernels::run<uint8_t>};

}  // namespace hone
#endif
