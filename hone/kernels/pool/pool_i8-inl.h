// Pools of bytes on vectors of channels, for pool_hwy.cc.

#if defined(HONE_KERNELS_POOL_I8_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HONE_KERNELS_POOL_I8_INL_H_
#undef HONE_KERNELS_POOL_I8_INL_H_
#else
#define HONE_KERNELS_POOL_I8_INL_H_
#endif

#include <limits>

#include "hone/kernels/pool/pool_few-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// The maximum, one vector of channels at a time.
template <class T>
struct BytesMax {
  using D = hn::ScalableTag<T>;
  static constexpr size_t kLanes = hn::MaxLanes(D());

  static HWY_INLINE void pixel(const PoolArgs<T>& p, const PoolWindow<T>& window, size_t c, T* y) {
    auto max = hn::Set(D(), std::numeric_limits<T>::min());
    for (size_t h = 0; h < window.height; ++h) {
      const T* x = window.x + h * window.row_step + c;
      for (size_t w = 0; w < window.width; ++w, x += window.pixel_step) {
        max = hn::Max(max, hn::LoadU(D(), x));
      }
    }
    max = hn::Max(hn::Set(D(), static_cast<T>(p.low)), max);
    hn::StoreU(hn::Min(hn::Set(D(), static_cast<T>(p.high)), max), D(), y + c);
  }
};

// The mean. Sums are kept in 16 bits for as long as they surely fit, then added to 32.
template <class T>
struct BytesMean {
  using D16 = hn::ScalableTag<int16_t>;
  using D8 = hn::Rebind<T, D16>;
  using D32 = hn::ScalableTag<int32_t>;
  using DF = hn::RebindToFloat<D32>;
  static constexpr size_t kLanes = hn::MaxLanes(D16());
  static constexpr size_t kTapsIn16Bits = 128;

  struct Sums {
    hn::Vec<D16> narrow;
    hn::Vec<D32> low;
    hn::Vec<D32> high;
    size_t taps;

    HWY_INLINE void add(const T* x) {
      narrow = hn::Add(narrow, hn::PromoteTo(D16(), hn::LoadU(D8(), x)));
      if (++taps == kTapsIn16Bits) widen();
    }
    HWY_INLINE void widen() {
      low = hn::Add(low, hn::PromoteTo(D32(), hn::LowerHalf(narrow)));
      high = hn::Add(high, hn::PromoteTo(D32(), hn::UpperHalf(hn::Half<D16>(), narrow)));
      narrow = hn::Zero(D16());
      taps = 0;
    }
  };

  // sum / n as TFLite rounds it. The operands are integers below 2^24, so no quotient of floats is
  // rounded up to the next integer.
  static HWY_INLINE hn::Vec<D32> divide(hn::Vec<D32> sum, size_t n) {
    const auto half = hn::Set(D32(), static_cast<int32_t>(n / 2));
    const auto nudged =
        hn::IfThenElse(hn::Gt(sum, hn::Zero(D32())), hn::Add(sum, half), hn::Sub(sum, half));
    const auto quotient =
        hn::Div(hn::ConvertTo(DF(), nudged), hn::Set(DF(), static_cast<float>(n)));
    return hn::ConvertTo(D32(), quotient);
  }

  static HWY_INLINE hn::Vec<D32> clamp(const PoolArgs<T>& p, hn::Vec<D32> x) {
    return hn::Max(hn::Set(D32(), static_cast<int32_t>(p.low)),
                   hn::Min(hn::Set(D32(), static_cast<int32_t>(p.high)), x));
  }

  static HWY_INLINE void pixel(const PoolArgs<T>& p, const PoolWindow<T>& window, size_t c, T* y) {
    Sums sums{hn::Zero(D16()), hn::Zero(D32()), hn::Zero(D32()), 0};
    for (size_t h = 0; h < window.height; ++h) {
      const T* x = window.x + h * window.row_step + c;
      for (size_t w = 0; w < window.width; ++w, x += window.pixel_step) sums.add(x);
    }
    sums.widen();
    const auto padding = hn::Set(D32(), static_cast<int32_t>(window.padding) * p.zero);
    sums.low = hn::Add(sums.low, padding);
    sums.high = hn::Add(sums.high, padding);
    const hn::Half<D16> half;
    const auto low = hn::DemoteTo(half, clamp(p, divide(sums.low, window.divisor)));
    const auto high = hn::DemoteTo(half, clamp(p, divide(sums.high, window.divisor)));
    hn::StoreU(hn::DemoteTo(D8(), hn::Combine(D16(), high, low)), D8(), y + c);
  }
};

// Fold is one of the above.
template <class Fold, class T>
void pool_bytes_by(const PoolArgs<T>& p, size_t first, size_t last) {
  constexpr size_t kLanes = Fold::kLanes;
  if (p.channels < kLanes) {
    return pool_few_channels<kLanes>(
        p, first, last,
        [&](const PoolWindow<T>& window, size_t c, T* y) HWY_ATTR { Fold::pixel(p, window, c, y); },
        [&](const PoolWindow<T>& window, T* y) { pool_ref_pixel(p, window, y); });
  }
  for_each_pool_window(p, first, last, [&](const PoolWindow<T>& window, T* y) HWY_ATTR {
    size_t c = 0;
    for (; c + kLanes <= p.channels; c += kLanes) Fold::pixel(p, window, c, y);
    // The last vector overlaps the one before it.
    if (c < p.channels) Fold::pixel(p, window, p.channels - kLanes, y);
  });
}

// Windows whose sums leave the 24 bits of BytesMean are left to the reference.
template <class T>
void pool_bytes(const PoolArgs<T>& p, size_t first, size_t last) {
  constexpr size_t kMostTaps = 65535;
  if (!p.average) return pool_bytes_by<BytesMax<T>>(p, first, last);
  if (p.height.kernel * p.width.kernel > kMostTaps) return pool_ref(p, first, last);
  return pool_bytes_by<BytesMean<T>>(p, first, last);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#endif  // HONE_KERNELS_POOL_I8_INL_H_
