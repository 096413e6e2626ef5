// Compiled with -march=armv8.2-a+fp16; reached only through
// depthwise_f16_variants().
#if defined(__aarch64__)
#include <arm_neon.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "hone/kernels/depthwise/depthwise.h"
#include "hone/kernels/unroll.h"

namespace hone {
namespace {

#include "hone/kernels/depthwise/depthwise_float.inc"

struct OpsF16 {
  using Lane = Half;
  using Vec = float16x8_t;
  static constexpr size_t kLanes = 8;

  static constexpr size_t kMaxRows = 4;
  static constexpr size_t kCacheBytes = 48 << 10;
  static constexpr bool kTiles = true;
  static constexpr bool kActivatesTiles = false;

  static inline Vec copy(Vec v) {  // See depthwise_hwy.cc.
    asm("mov %0.16b, %1.16b" : "=w"(v) : "w"(v));
    return v;
  }
  static inline Vec hold(Vec v) { return v; }
  static inline Vec load(const Half* p) { return vreinterpretq_f16_u16(vld1q_u16(&p->bits)); }
  static inline void store(Vec v, Half* p) { vst1q_u16(&p->bits, vreinterpretq_u16_f16(v)); }
  static Vec load_some(const Half* p, size_t n) {
    Half lanes[kLanes] = {};
    std::copy_n(p, n, lanes);
    return load(lanes);
  }
  static void store_some(Vec v, Half* p, size_t n) {
    Half lanes[kLanes];
    store(v, lanes);
    std::copy_n(lanes, n, p);
  }
  static inline Vec zero() { return vdupq_n_f16(0); }
  static inline Vec set(float v) { return vreinterpretq_f16_u16(vdupq_n_u16(Half(v).bits)); }
  static inline Vec multiply_add(Vec a, Vec b, Vec sum) { return vfmaq_f16(sum, a, b); }
  static inline Vec finish(Vec v, Vec low, Vec high) { return vminq_f16(vmaxq_f16(v, low), high); }
};

}  // namespace

extern const DepthwiseF16 depthwise_f16_neon_fp16 = {DepthwiseKernels<OpsF16>::packed_bytes,
                                                     DepthwiseKernels<OpsF16>::pack,
                                                     DepthwiseKernels<OpsF16>::run};

}  // namespace hone
#endif
