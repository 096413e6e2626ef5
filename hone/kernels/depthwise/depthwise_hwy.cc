#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "hone/kernels/depthwise/depthwise.h"
#include "hone/kernels/hwy_targets.h"
#include "hone/kernels/unroll.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hone/kernels/depthwise/depthwise_hwy.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h, which includes this file again once per instruction
// set.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#include "hone/kernels/depthwise/depthwise_float.inc"

struct OpsF32 {
  using D = hn::ScalableTag<float>;
  using Lane = float;
  using Vec = hn::Vec<D>;
  static constexpr size_t kLanes = hn::MaxLanes(D());

  // 16 sums where there are 32 registers.
  static constexpr size_t kMaxRows = HWY_TARGET == HWY_NEON || HWY_TARGET <= HWY_AVX3 ? 4 : 2;
  // Three quarters of it: of 64 KiB, 48 or 32.
  static constexpr size_t kCacheBytes = (HWY_TARGET == HWY_NEON   ? 48
                                         : HWY_TARGET <= HWY_AVX3 ? 36
                                                                  : 24)
                                        << 10;
  // With SSE4 alone products have the reference's loops, and depthwise layers take 1.6 % of
  // mobilenet_v2 where tiles take 1.2. Those cost g++ 45 s, most of it for halves, which such CPUs
  // are never given.
  static constexpr bool kTiles = HWY_TARGET != HWY_SSE4;

  // 1.01 to 1.28 times as fast with hard swish: tiles then have four rows, whatever their length. Not
  // measured elsewhere.
  static constexpr bool kActivatesTiles = HWY_ARCH_X86 != 0;

  // By an instruction of its own: chains of FMLA that start from a load all go to the same two of
  // the four pipes of a Neoverse V1 and run at half the rate, those that start from a move do not.
  static HWY_INLINE Vec copy(Vec v) {
#if HWY_TARGET == HWY_NEON
    asm("mov %0.16b, %1.16b" : "=w"(v.raw) : "w"(v.raw));
#endif
    return v;
  }
  // In a register, of which there are enough: g++ would load it for every product anew, more often
  // than two loads a cycle allow.
  static HWY_INLINE Vec hold(Vec v) {
#if HWY_TARGET <= HWY_AVX3
    asm("" : "+v"(v.raw));
#endif
    return v;
  }
  static HWY_INLINE Vec load(const float* p) {
    return hn::LoadU(D(), p);
  }
  static HWY_INLINE void store(Vec v, float* p) {
    hn::StoreU(v, D(), p);
  }
  // Where masks keep loads and stores from touching what is behind.
  static constexpr bool kMasks = HWY_TARGET <= HWY_AVX2;
  static HWY_INLINE Vec load_some(const float* p, size_t n) {
    if constexpr (kMasks) return hn::MaskedLoad(hn::FirstN(D(), n), D(), p);
    float lanes[kLanes] = {};
    std::copy_n(p, n, lanes);
    return load(lanes);
  }
  static HWY_INLINE void store_some(Vec v, float* p, size_t n) {
    if constexpr (kMasks) return hn::BlendedStore(v, hn::FirstN(D(), n), D(), p);
    float lanes[kLanes];
    store(v, lanes);
    std::copy_n(lanes, n, p);
  }
  static HWY_INLINE Vec zero() {
    return hn::Zero(D());
  }
  static HWY_INLINE Vec set(float v) {
    return hn::Set(D(), v);
  }
  static HWY_INLINE Vec multiply_add(Vec a, Vec b, Vec sum) {
    return hn::MulAdd(a, b, sum);
  }
  // NaN stays: Highway's NEON prefers numbers, other instructions take the second operand.
  static HWY_INLINE Vec finish(Vec v, Vec low, Vec high) {
#if HWY_TARGET == HWY_NEON
    return Vec(vminq_f32(vmaxq_f32(v.raw, low.raw), high.raw));
#else
    return hn::Min(high, hn::Max(low, v));
#endif
  }
};

#if HWY_TARGET <= HWY_AVX3
// Hard swish in registers, the operations of activate_f32 for the same bits. 672 channels at 14 x 14
// take 16.5 us on a Xeon and 18.5 with it; 24.2 where every tile is activated once it is written, 26.9
// where rows are. As a branch at the end of the one set of tiles it slowed clamps down by 4 %.
struct OpsF32HardSwish : OpsF32 {
  static HWY_INLINE Vec finish(Vec v, Vec, Vec) {
    const Vec bounded = hn::Max(set(-3.0f), v);
    const Vec gate = hn::MulAdd(bounded, set(1.0f / 6), set(0.5f));
    return hn::Mul(bounded, hn::Max(zero(), hn::Min(set(1.0f), gate)));
  }
};
#endif

// Halves in memory, floats in registers.
struct OpsF16 : OpsF32 {
  using Lane = Half;
  using DHalf = hn::Rebind<hwy::float16_t, D>;

  static HWY_INLINE Vec load(const Half* p) {
    return hn::PromoteTo(D(), hn::LoadU(DHalf(), reinterpret_cast<const hwy::float16_t*>(p)));
  }
  static HWY_INLINE void store(Vec v, Half* p) {
    hn::StoreU(hn::DemoteTo(DHalf(), v), DHalf(), reinterpret_cast<hwy::float16_t*>(p));
  }
  // AVX2 has no masks for elements of 16 bits.
  static constexpr bool kMasks = HWY_TARGET <= HWY_AVX3;
  using DBits = hn::Rebind<uint16_t, D>;
  static HWY_INLINE Vec load_some(const Half* p, size_t n) {
    if constexpr (kMasks) {
      const auto bits = hn::MaskedLoad(hn::FirstN(DBits(), n), DBits(), &p->bits);
      return hn::PromoteTo(D(), hn::BitCast(DHalf(), bits));
    }
    Half lanes[kLanes] = {};
    std::copy_n(p, n, lanes);
    return load(lanes);
  }
  static HWY_INLINE void store_some(Vec v, Half* p, size_t n) {
    if constexpr (kMasks) {
      const auto bits = hn::BitCast(DBits(), hn::DemoteTo(DHalf(), v));
      return hn::BlendedStore(bits, hn::FirstN(DBits(), n), DBits(), &p->bits);
    }
    Half lanes[kLanes];
    store(v, lanes);
    std::copy_n(lanes, n, p);
  }
};

size_t depthwise_f16_packed_bytes(const DepthwiseShape& s) {
  return DepthwiseKernels<OpsF16>::packed_bytes(s);
}
void depthwise_f16_pack(const DepthwiseShape& s, const Half* weights, const Half* bias,
                        void* packed) {
  DepthwiseKernels<OpsF16>::pack(s, weights, bias, packed);
}
void depthwise_f16_run(const DepthwiseShape& s, size_t row_begin, size_t row_end, const Half* x,
                       const void* packed, const Activation& activation, ActivateF16 activate,
                       Half* y) {
  DepthwiseKernels<OpsF16>::run(s, row_begin, row_end, x, packed, activation, activate, y);
}

size_t depthwise_packed_bytes(const DepthwiseShape& s) {
  return DepthwiseKernels<OpsF32>::packed_bytes(s);
}
void depthwise_pack(const DepthwiseShape& s, const float* weights, const float* bias,
                    void* packed) {
  DepthwiseKernels<OpsF32>::pack(s, weights, bias, packed);
}
void depthwise_run(const DepthwiseShape& s, size_t row_begin, size_t row_end, const float* x,
                   const void* packed, const Activation& activation, ActivateF32 activate,
                   float* y) {
#if HWY_TARGET <= HWY_AVX3
  if (activation.kind == Activation::Kind::HardSwish) {
    return DepthwiseKernels<OpsF32HardSwish>::run(s, row_begin, row_end, x, packed, {}, nullptr, y);
  }
#endif
  DepthwiseKernels<OpsF32>::run(s, row_begin, row_end, x, packed, activation, activate, y);
}

}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hone {
namespace {

HWY_EXPORT(depthwise_packed_bytes);
HWY_EXPORT(depthwise_pack);
HWY_EXPORT(depthwise_run);
HWY_EXPORT(depthwise_f16_packed_bytes);
HWY_EXPORT(depthwise_f16_pack);
HWY_EXPORT(depthwise_f16_run);

size_t packed_bytes_best(const DepthwiseShape& s) {
  return HWY_DYNAMIC_DISPATCH(depthwise_packed_bytes)(s);
}
void pack_best(const DepthwiseShape& s, const float* weights, const float* bias, void* packed) {
  HWY_DYNAMIC_DISPATCH(depthwise_pack)(s, weights, bias, packed);
}
void run_best(const DepthwiseShape& s, size_t row_begin, size_t row_end, const float* x,
              const void* packed, const Activation& activation, ActivateF32 activate, float* y) {
  HWY_DYNAMIC_DISPATCH(depthwise_run)
  (s, row_begin, row_end, x, packed, activation, activate, y);
}

size_t packed_bytes_f16_best(const DepthwiseShape& s) {
  return HWY_DYNAMIC_DISPATCH(depthwise_f16_packed_bytes)(s);
}
void pack_f16_best(const DepthwiseShape& s, const Half* weights, const Half* bias, void* packed) {
  HWY_DYNAMIC_DISPATCH(depthwise_f16_pack)(s, weights, bias, packed);
}
void run_f16_best(const DepthwiseShape& s, size_t row_begin, size_t row_end, const Half* x,
                  const void* packed, const Activation& activation, ActivateF16 activate, Half* y) {
  HWY_DYNAMIC_DISPATCH(depthwise_f16_run)
  (s, row_begin, row_end, x, packed, activation, activate, y);
}

}  // namespace

extern const DepthwiseF32 depthwise_f32_hwy = {packed_bytes_best, pack_best, run_best};
extern const DepthwiseF16 depthwise_f16_hwy = {packed_bytes_f16_best, pack_f16_best, run_f16_best};

}  // namespace hone
#endif  // HWY_ONCE
