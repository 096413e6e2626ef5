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
#include "hone/kernels/depthwise/depthwise_integer_neon.inc"

struct OpsDot : OpsNeon {
  using Weight = int8_t;
  using Vec = int8x16_t;
  static constexpr size_t kTaps = 4;
  template <class T>
  static constexpr int32_t kOffset = std::numeric_limits<T>::min() == 0 ? 128 : 0;

  HONE_INLINE static Vec load(const char* p) {
    return vld1q_s8(reinterpret_cast<const int8_t*>(p));
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
};

using Kernels = IntegerKernels<OpsDot>;

}  // namespace

extern const DepthwiseI8 depthwise_i8_neon_dot = {Kernels::packed_bytes, Kernels::pack<int8_t>,
                                                  Kernels::scratch_bytes, Kernels::run<int8_t>};
extern const DepthwiseU8 depthwise_u8_neon_dot = {Kernels::packed_bytes, Kernels::pack<uint8_t>,
                                                  Kernels::scratch_bytes, Kernels::run<uint8_t>};

}  // namespace hone
#endif
