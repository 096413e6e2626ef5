// The interface of neon_vectors.h over Highway's vectors, for every instruction set it knows:
//   HwyF32  floats
//   HwyF16  halves in memory, floats in registers
// Only for sources that include hwy_targets.h and then Highway.

// The guard turns over with every instruction set, see hwy/foreach_target.h.
#if defined(HONE_KERNELS_HWY_VECTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HONE_KERNELS_HWY_VECTORS_INL_H_
#undef HONE_KERNELS_HWY_VECTORS_INL_H_
#else
#define HONE_KERNELS_HWY_VECTORS_INL_H_
#endif

#include <cstddef>
#include <cstring>
#include <limits>

#include "hone/tensor/small_float.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Arithmetic on floats. The second operand's NaN passes through min and max on every CPU.
struct HwyFloatOps {
  using D = hn::ScalableTag<float>;
  using Vec = hn::Vec<D>;
  static constexpr size_t kLanes = hn::MaxLanes(D());
  static constexpr bool kHalf = false;  // Arithmetic in half precision.

  static HWY_INLINE Vec broadcast(float x) { return hn::Set(D(), x); }
  static HWY_INLINE Vec add(Vec a, Vec b) { return hn::Add(a, b); }
  static HWY_INLINE Vec sub(Vec a, Vec b) { return hn::Sub(a, b); }
  static HWY_INLINE Vec mul(Vec a, Vec b) { return hn::Mul(a, b); }
  static HWY_INLINE Vec div(Vec a, Vec b) { return hn::Div(a, b); }
#if HWY_TARGET == HWY_NEON
  // Highway takes the instructions that prefer numbers to NaN.
  static HWY_INLINE Vec min(Vec a, Vec b) {
    return Vec(vminq_f32(a.raw, b.raw));
  }
  static HWY_INLINE Vec max(Vec a, Vec b) {
    return Vec(vmaxq_f32(a.raw, b.raw));
  }
#else
  static HWY_INLINE Vec min(Vec a, Vec b) {
    return hn::Min(a, b);
  }
  static HWY_INLINE Vec max(Vec a, Vec b) {
    return hn::Max(a, b);
  }
#endif
  // A NaN of either operand passes through these.
  static HWY_INLINE Vec min_or_nan(Vec a, Vec b) {
    return if_nan(a, a, min(a, b));
  }
  static HWY_INLINE Vec max_or_nan(Vec a, Vec b) {
    return if_nan(a, a, max(a, b));
  }
  static HWY_INLINE Vec abs(Vec x) {
    return hn::Abs(x);
  }
  static HWY_INLINE Vec fma(Vec sum, Vec a, Vec b) {
    return hn::MulAdd(a, b, sum);
  }
  // sum - a * b
  static HWY_INLINE Vec fms(Vec sum, Vec a, Vec b) {
    return hn::NegMulAdd(a, b, sum);
  }
  // Of finite numbers but zero, or of NaN.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  // A division takes as long as the rest of an activation. 14 bits and one step of Newton's are
  // within 1.2e-7.
  static HWY_INLINE Vec reciprocal(Vec x) {
    const Vec rough = hn::ApproximateReciprocal(x);
    return hn::MulAdd(rough, hn::NegMulAdd(x, rough, broadcast(1.0f)), rough);
  }
  static HWY_INLINE Vec quotient(Vec a, Vec b) {
    return mul(a, reciprocal(b));
  }
#else
  static HWY_INLINE Vec reciprocal(Vec x) {
    return hn::Div(broadcast(1.0f), x);
  }
  static HWY_INLINE Vec quotient(Vec a, Vec b) {
    return hn::Div(a, b);
  }
#endif
  // x < 0 or -0 ? a : b
  static HWY_INLINE Vec if_negative(Vec x, Vec a, Vec b) {
    return hn::IfNegativeThenElse(x, a, b);
  }
  static HWY_INLINE Vec if_nan(Vec x, Vec a, Vec b) {
    return hn::IfThenElse(hn::Eq(x, x), b, a);
  }
  static HWY_INLINE Vec copy_sign(Vec magnitude, Vec sign) {
    return hn::CopySign(magnitude, sign);
  }
  // The lowest bits of x moved to the exponent.
  static HWY_INLINE Vec shift_to_exponent(Vec x) {
    const hn::RebindToUnsigned<D> du;
    return hn::BitCast(D(), hn::ShiftLeft<23>(hn::BitCast(du, x)));
  }
  static HWY_INLINE void store_floats(float* y, Vec x) {
    hn::StoreU(x, D(), y);
  }
  static HWY_INLINE float sum_of_lanes(Vec x) {
    return hn::GetLane(hn::SumOfLanes(D(), x));
  }
  // NaN where a lane is.
  static HWY_INLINE float max_of_lanes(Vec x) {
    return has_nan(x) ? kNan : hn::GetLane(hn::MaxOfLanes(D(), x));
  }
  static HWY_INLINE float min_of_lanes(Vec x) {
    return has_nan(x) ? kNan : hn::GetLane(hn::MinOfLanes(D(), x));
  }

 private:
  static constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  static HWY_INLINE bool has_nan(Vec x) {
    return !hn::AllTrue(D(), hn::Eq(x, x));
  }
};

struct HwyF32 : HwyFloatOps {
  using Element = float;

  static HWY_INLINE Vec load(const float* x) { return hn::LoadU(D(), x); }
  static HWY_INLINE void store(float* y, Vec x) { hn::StoreU(x, D(), y); }
  static HWY_INLINE Vec broadcast_from(const float* x) { return hn::Set(D(), *x); }
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  // By masks, which never touch what they leave out.
  static HWY_INLINE Vec load_first(const float* x, size_t n) {
    return hn::MaskedLoad(hn::FirstN(D(), n), D(), x);
  }
  static HWY_INLINE void store_first(float* y, Vec x, size_t n) {
    hn::BlendedStore(x, hn::FirstN(D(), n), D(), y);
  }
#endif
};

struct HwyF16 : HwyFloatOps {
  using Element = Half;
  using DHalf = hn::Rebind<hwy::float16_t, D>;

  static HWY_INLINE Vec load(const Half* x) {
    return hn::PromoteTo(D(), hn::LoadU(DHalf(), reinterpret_cast<const hwy::float16_t*>(x)));
  }
  static HWY_INLINE void store(Half* y, Vec x) {
    hn::StoreU(hn::DemoteTo(DHalf(), x), DHalf(), reinterpret_cast<hwy::float16_t*>(y));
  }
  static HWY_INLINE Vec broadcast_from(const Half* x) { return broadcast(*x); }
};

}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#endif  // HONE_KERNELS_HWY_VECTORS_INL_H_
