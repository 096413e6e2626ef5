// For CPUs without SDOT: one row at a time, multiplied in 16 bits. Reached only through
// depthwise_i8_variants() and depthwise_u8_variants().
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

struct OpsMlal : OpsNeon {
  using Weight = int16_t;
  using Vec = int16x4_t;
  static constexpr size_t kTaps = 1;
  template <class T>
  static constexpr int32_t kOffset = 0;

  HONE_INLINE static Vec load(const char* p) {
    return vld1_s16(reinterpret_cast<const int16_t*>(p));
  }
  HONE_INLINE static Sum dot(Sum sum, Vec x, Vec w) { return vmlal_s16(sum, x, w); }

  HONE_INLINE static int16x8_t widen(const int8_t* x) { return vmovl_s8(vld1_s8(x)); }
  HONE_INLINE static int16x8_t widen(const uint8_t* x) {
    return vreinterpretq_s16_u16(vmovl_u8(vld1_u8(x)));
  }

  template <bool kSome, class T>
  HONE_INLINE static void interleave(const T* const* rows, size_t channels, char* to,
                                     size_t plane) {
    const T* x = rows[0];
    T bytes[kGroup] = {};
    if constexpr (kSome) x = std::copy_n(x, channels, bytes) - channels;
    HONE_UNROLL
    for (size_t i = 0; i < kGroup / kSums; i += 2) {
      const int16x8_t v = widen(x + i * kSums);
      vst1_s16(reinterpret_cast<int16_t*>(to + i * plane), vget_low_s16(v));
      vst1_s16(reinterpret_cast<int16_t*>(to + (i + 1) * plane), vget_high_s16(v));
    }
  }
};

using Kernels = IntegerKernels<OpsMlal>;

}  // namespace

extern const DepthwiseI8 depthwise_i8_neon = {Kernels::packed_bytes, Kernels::pack<int8_t>,
                                              Kernels::scratch_bytes, Kernels::run<int8_t>};
extern const DepthwiseU8 depthwise_u8_neon = {Kernels::packed_bytes, Kernels::pack<uint8_t>,
                                              Kernels::scratch_bytes, Kernels::run<uint8_t>};

}  // namespace hone
#endif
