// Bytes as 32-bit lanes, a vector of them at a time, and TFLite's scaling of them. The same
// interface as bytes_neon.h.

// The guard turns over with every instruction set, see hwy/foreach_target.h.
#if defined(HONE_KERNELS_BYTES_HWY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HONE_KERNELS_BYTES_HWY_INL_H_
#undef HONE_KERNELS_BYTES_HWY_INL_H_
#else
#define HONE_KERNELS_BYTES_HWY_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hone/tensor/fixed_point.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

struct HwyI32 {
  using D = hn::ScalableTag<int32_t>;
  using Vec = hn::Vec<D>;
  static constexpr size_t kVectors = 1;

  static HWY_INLINE Vec broadcast(int32_t x) { return hn::Set(D(), x); }
  static HWY_INLINE Vec add(Vec a, Vec b) { return hn::Add(a, b); }
  static HWY_INLINE Vec sub(Vec a, Vec b) { return hn::Sub(a, b); }
  static HWY_INLINE Vec mul(Vec a, Vec b) { return hn::Mul(a, b); }
  static HWY_INLINE Vec shift_right(Vec x, int bits) { return hn::ShiftRightSame(x, bits); }
};

template <class T>
struct HwyBytes : HwyI32 {
  using DBytes = hn::Rebind<T, D>;
  static constexpr size_t kLanes = hn::MaxLanes(D());
  struct Block {
    Vec v[kVectors];
  };

  template <int kShift>
  static HWY_INLINE Block load(const T* x, int32_t zero) {
    const auto wide = hn::PromoteTo(D(), hn::LoadU(DBytes(), x));
    return {{hn::ShiftLeft<kShift>(hn::Sub(wide, hn::Set(D(), zero)))}};
  }
  static HWY_INLINE void store(T* y, const Block& block, int32_t zero, int32_t least,
                               int32_t most) {
    // The bounds come first, so that the sum cannot overflow.
    const auto bounded =
        hn::Max(hn::Set(D(), least - zero), hn::Min(hn::Set(D(), most - zero), block.v[0]));
    hn::StoreU(hn::DemoteTo(DBytes(), hn::Add(bounded, hn::Set(D(), zero))), DBytes(), y);
  }
};

// scale_by of numbers below 2^30.
template <Rounding kRounding>
struct HwyScale {
  using D = hn::ScalableTag<int32_t>;
  using DWide = hn::RepartitionToWide<D>;
  using DBits = hn::RebindToUnsigned<DWide>;
  using Vec = hn::Vec<D>;
  using Bits = hn::Vec<DBits>;

  static constexpr bool kAway = kRounding == Rounding::Double;

  Vec multiplier;
  int shift;
  bool halves;   // Of many operands of sums, the factor is 1/2.
  bool lowers;   // Whether the high half of a product, shifted to the right, is the result.
  Bits rounder;  // What is added to products then.

  explicit HWY_INLINE HwyScale(FixedPoint factor)
      : multiplier(hn::Set(D(), factor.multiplier)),
        shift(factor.shift),
        halves(factor.multiplier == 1 << 30 && factor.shift == 0),
        lowers(factor.shift <= -1 && factor.shift >= -30),
        rounder(hn::Zero(DBits())) {
    if (!lowers) return;
    const uint64_t nudge = kRounding == Rounding::Single ? 0 : 1 << 30;
    rounder = hn::Set(DBits(), (nudge + (uint64_t{1} << (30 - shift))) << (kAway ? 1 : 0));
  }

  HWY_INLINE void apply(Vec (&x)[1]) const {
    if (halves) {
      x[0] = hn::ShiftRight<1>(hn::Add(x[0], hn::Set(D(), 1)));
    } else if (lowers) {
      x[0] = lower(x[0]);
    } else if constexpr (kRounding == Rounding::Single) {
      x[0] = once(x[0]);
    } else {
      if (shift > 0) x[0] = shift > 31 ? hn::Zero(D()) : hn::ShiftLeftSame(x[0], shift);
      x[0] = divide(high_mul(x[0]));
    }
  }

 private:
  // The 64-bit products of the even and the odd lanes.
  HWY_INLINE Bits even_products(Vec x) const {
    return hn::BitCast(DBits(), hn::MulEven(x, multiplier));
  }
  HWY_INLINE Bits odd_products(Vec x) const {
    const auto odd = hn::BitCast(D(), hn::ShiftRight<32>(hn::BitCast(DBits(), x)));
    return hn::BitCast(DBits(), hn::MulEven(odd, multiplier));
  }

  // All rules are a product plus a constant, shifted, rounding down; where ties go away from zero,
  // those below it are first one less. For that the high half has one bit more.
  HWY_INLINE Vec lower(Vec x) const {
    const auto from = kAway ? hn::Add(x, x) : x;
    const auto even = hn::ShiftRight<32>(hn::Add(even_products(from), rounder));
    const auto odd = hn::Add(odd_products(from), rounder);
    const auto high = hn::OddEven(hn::BitCast(D(), odd), hn::BitCast(D(), even));
    if constexpr (!kAway) return hn::ShiftRightSame(high, -shift - 1);
    return hn::ShiftRightSame(hn::Add(high, hn::BroadcastSignBit(x)), -shift);
  }

  // (x * multiplier + 2^30) >> 31. Only the lowest 32 bits matter, so the sign need not be shifted
  // in.
  HWY_INLINE Vec high_mul(Vec x) const {
    const auto nudge = hn::Set(DBits(), uint64_t{1} << 30);
    const auto even = hn::ShiftRight<31>(hn::Add(even_products(x), nudge));
    const auto odd = hn::ShiftLeft<1>(hn::Add(odd_products(x), nudge));
    return hn::OddEven(hn::BitCast(D(), odd), hn::BitCast(D(), even));
  }

  // x / 2^-shift, with the ties of the rule.
  HWY_INLINE Vec divide(Vec x) const {
    const int right = -shift;
    if (right <= 0) return x;
    if (right > 31) return hn::Zero(D());
    const auto quotient = hn::ShiftRightSame(x, right);
    if constexpr (kRounding == Rounding::DoubleUpward) {
      return hn::Add(quotient, hn::And(hn::ShiftRightSame(x, right - 1), hn::Set(D(), 1)));
    }
    const auto mask = static_cast<int32_t>((uint32_t{1} << right) - 1);
    const auto remainder = hn::And(x, hn::Set(D(), mask));
    const auto threshold = hn::Sub(hn::Set(D(), mask >> 1), hn::BroadcastSignBit(x));
    return hn::Sub(quotient, hn::VecFromMask(D(), hn::Gt(remainder, threshold)));
  }

  // One rounding of the whole product.
  HWY_INLINE Vec once(Vec x) const {
    const int right = 31 - shift;
    if (right > 62 || right < -31) return hn::Zero(D());
    const auto even = shift_once(even_products(x), right);
    const auto odd = hn::ShiftLeft<32>(shift_once(odd_products(x), right));
    return hn::OddEven(hn::BitCast(D(), odd), hn::BitCast(D(), even));
  }
  // Logical shifts are all there is: 2^62 keeps the numbers positive and is taken off after.
  HWY_INLINE Bits shift_once(Bits product, int right) const {
    if (right <= 0) return hn::ShiftLeftSame(product, -right);
    const auto offset = hn::Set(DBits(), (uint64_t{1} << 62) + (uint64_t{1} << (right - 1)));
    const auto shifted = hn::ShiftRightSame(hn::Add(product, offset), right);
    return hn::Sub(shifted, hn::Set(DBits(), uint64_t{1} << (62 - right)));
  }
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#endif  // HONE_KERNELS_BYTES_HWY_INL_H_
