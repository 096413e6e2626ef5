// For convert_hwy.cc.

#if defined(HONE_KERNELS_CONVERT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HONE_KERNELS_CONVERT_INL_H_
#undef HONE_KERNELS_CONVERT_INL_H_
#else
#define HONE_KERNELS_CONVERT_INL_H_
#endif

#include "hone/kernels/hwy_vectors-inl.h"
#include "hone/kernels/unroll.h"
#include "hone/kernels/vector_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {
namespace {

// The upper halves of floats.
struct HwyBF16 : HwyFloatOps {
  using Element = BFloat16;
  using DBits = hn::RebindToUnsigned<D>;
  using DHalf = hn::Rebind<uint16_t, D>;

  static HWY_INLINE Vec load(const BFloat16* x) {
    const auto bits = hn::LoadU(DHalf(), reinterpret_cast<const uint16_t*>(x));
    return hn::BitCast(D(), hn::ShiftLeft<16>(hn::PromoteTo(DBits(), bits)));
  }
  // Adds a little less than half a unit, or just that where the unit is odd. NaN must not carry
  // into the sign; one of its upper bits is set instead.
  static HWY_INLINE void store(BFloat16* y, Vec x) {
    const DBits d;
    const auto bits = hn::BitCast(d, x);
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(d, 1u));
    const auto rounded = hn::Add(bits, hn::Add(hn::Set(d, 0x7fffu), odd));
    const auto quiet = hn::Or(bits, hn::Set(d, 0x400000u));
    const auto is_number = hn::RebindMask(d, hn::Eq(x, x));
    const auto result = hn::ShiftRight<16>(hn::IfThenElse(is_number, rounded, quiet));
    // Through signed lanes: the one demotion that every instruction set has, made exact by the
    // sign.
    const hn::RebindToSigned<D> d_signed;
    const hn::Rebind<int16_t, D> d_short;
    const auto wide = hn::ShiftRight<16>(hn::ShiftLeft<16>(hn::BitCast(d_signed, result)));
    hn::StoreU(hn::DemoteTo(d_short, wide), d_short, reinterpret_cast<int16_t*>(y));
  }
};

template <class From, class To>
void convert(size_t n, const typename From::Element* x, typename To::Element* y) {
  constexpr size_t kLanes = From::kLanes, kAtOnce = 4;
  size_t i = 0;
  for (; i + kAtOnce * kLanes <= n; i += kAtOnce * kLanes) {
    HONE_UNROLL
    for (size_t k = 0; k < kAtOnce; ++k) {
      To::store(y + i + k * kLanes, From::load(x + i + k * kLanes));
    }
  }
  for (; i + kLanes <= n; i += kLanes) To::store(y + i, From::load(x + i));
  if (i < n) store_first<To>(y + i, load_first<From>(x + i, n - i), n - i);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#endif  // HONE_KERNELS_CONVERT_INL_H_
