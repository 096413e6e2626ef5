#include <algorithm>
#include <cstring>

#include "hone/kernels/hwy_targets.h"
#include "hone/kernels/hybrid/hybrid.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hone/kernels/hybrid/hybrid_hwy.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h, which includes this file again once per instruction set.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using DInt = hn::RebindToSigned<D>;
constexpr size_t kLanes = hn::MaxLanes(D());

HWY_INLINE hn::Vec<D> nan_to_zero(hn::Vec<D> x) {
  return hn::IfThenElseZero(hn::Eq(x, x), x);
}

// Constants in registers: a store of bytes might change them in memory, for all the compiler knows.
class Quantizer {
 public:
  explicit HWY_INLINE Quantizer(const HybridSteps& p)
      : inverse_(hn::Set(D(), p.inverse)),
        zero_point_(hn::Set(D(), static_cast<float>(p.zero_point))),
        low_(hn::Set(D(), p.low)),
        offset_(hn::Set(DInt(), p.zero_point)) {}

  HWY_INLINE void store(const float* x, int8_t* y) const {
    const hn::Rebind<int8_t, D> d_bytes;
    hn::StoreU(hn::DemoteTo(d_bytes, bytes_of(hn::LoadU(D(), x))), d_bytes, y);
  }
  HWY_INLINE void store(const float* x, float* y) const {
    hn::StoreU(hn::ConvertTo(D(), hn::Sub(bytes_of(hn::LoadU(D(), x)), offset_)), D(), y);
  }

 private:
  HWY_INLINE hn::Vec<DInt> bytes_of(hn::Vec<D> x) const {
    auto steps = nan_to_zero(hn::Add(zero_point_, hn::Mul(x, inverse_)));
    // The bounds are whole numbers: it does not matter that they come before the rounding.
    steps = hn::Max(low_, hn::Min(high_, steps));
    return hn::ConvertTo(DInt(), hn::Add(steps, hn::CopySign(half_, steps)));
  }

  hn::Vec<D> inverse_;
  hn::Vec<D> zero_point_;
  hn::Vec<D> low_;
  hn::Vec<D> high_ = hn::Set(D(), 127.0f);
  // The largest float below a half: half itself would lift 0.49999997 to 1.
  hn::Vec<D> half_ = hn::Set(D(), 0x1.fffffep-2f);
  hn::Vec<DInt> offset_;
};

template <class T>
HWY_INLINE void quantize(const HybridSteps& p, size_t n, const float* x, T* y) {
  const Quantizer quantizer(p);
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) quantizer.store(x + i, y + i);
  if (i == n) return;
  float from[kLanes] = {};
  T to[kLanes];
  std::memcpy(from, x + i, (n - i) * sizeof(float));
  quantizer.store(from, to);
  std::memcpy(y + i, to, (n - i) * sizeof(T));
}

HWY_INLINE void scale_vector(const HybridScales& p, size_t column, hn::Vec<D> sums, float* y) {
  const D d;
  const auto scale = hn::Mul(hn::Set(d, p.row_scale), hn::LoadU(d, p.weight_scales + column));
  hn::StoreU(hn::Add(hn::Mul(sums, scale), hn::LoadU(d, p.bias + column)), d, y);
}

HWY_INLINE float scaled(const HybridScales& p, size_t column, float sum) {
  return sum * (p.row_scale * p.weight_scales[column]) + p.bias[column];
}

}  // namespace

void hybrid_range(size_t n, const float* x, float* low, float* high) {
  const D d;
  // Four of each: a minimum takes two cycles, and two can start in each.
  constexpr size_t kChains = 4;
  hn::Vec<D> lows[kChains], highs[kChains];
  for (size_t c = 0; c < kChains; ++c) lows[c] = highs[c] = hn::Zero(d);
  size_t i = 0;
  for (; i + kChains * kLanes <= n; i += kChains * kLanes) {
    for (size_t c = 0; c < kChains; ++c) {
      const auto v = nan_to_zero(hn::LoadU(d, x + i + c * kLanes));
      lows[c] = hn::Min(lows[c], v);
      highs[c] = hn::Max(highs[c], v);
    }
  }
  for (size_t c = 1; c < kChains; ++c) {
    lows[0] = hn::Min(lows[0], lows[c]);
    highs[0] = hn::Max(highs[0], highs[c]);
  }
  *low = hn::GetLane(hn::MinOfLanes(d, lows[0]));
  *high = hn::GetLane(hn::MaxOfLanes(d, highs[0]));
  for (; i < n; ++i) {
    *low = std::min(*low, x[i]);
    *high = std::max(*high, x[i]);
  }
}

void hybrid_to_bytes(const HybridSteps& p, size_t n, const float* x, int8_t* y) {
  quantize(p, n, x, y);
}

void hybrid_to_whole_floats(const HybridSteps& p, size_t n, const float* x, float* y) {
  quantize(p, n, x, y);
}

void hybrid_scale(const HybridScales& scales, size_t n, const int32_t* sums, float* y) {
  const HybridScales p = scales;
  // Unsigned, since sums may wrap.
  const hn::RebindToUnsigned<D> d;
  const auto load = [&](const int32_t* from)
                        HWY_ATTR { return hn::BitCast(d, hn::LoadU(DInt(), from)); };
  const auto zero_point = hn::BitCast(d, hn::Set(DInt(), p.zero_point));
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const auto sum = hn::Sub(load(sums + i), hn::Mul(zero_point, load(p.weight_sums + i)));
    scale_vector(p, i, hn::ConvertTo(D(), hn::BitCast(DInt(), sum)), y + i);
  }
  for (; i < n; ++i) {
    const auto offset =
        static_cast<uint32_t>(p.zero_point) * static_cast<uint32_t>(p.weight_sums[i]);
    const auto sum = static_cast<int32_t>(static_cast<uint32_t>(sums[i]) - offset);
    y[i] = scaled(p, i, static_cast<float>(sum));
  }
}

void hybrid_scale_whole_floats(const HybridScales& scales, size_t n, const float* sums, float* y) {
  const HybridScales p = scales;
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) scale_vector(p, i, hn::LoadU(D(), sums + i), y + i);
  for (; i < n; ++i) y[i] = scaled(p, i, sums[i]);
}

}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hone {

HWY_EXPORT(hybrid_range);
HWY_EXPORT(hybrid_to_bytes);
HWY_EXPORT(hybrid_to_whole_floats);
HWY_EXPORT(hybrid_scale);
HWY_EXPORT(hybrid_scale_whole_floats);

constinit extern const HybridKernel hybrid_hwy = {
    .range =
        [](size_t n, const float* x, float* low, float* high) {
          HWY_DYNAMIC_DISPATCH(hybrid_range)
          (n, x, low, high);
        },
    .to_bytes =
        [](const HybridSteps& steps, size_t n, const float* x, int8_t* y) {
          HWY_DYNAMIC_DISPATCH(hybrid_to_bytes)
          (steps, n, x, y);
        },
    .to_whole_floats =
        [](const HybridSteps& steps, size_t n, const float* x, float* y) {
          HWY_DYNAMIC_DISPATCH(hybrid_to_whole_floats)(steps, n, x, y);
        },
    .scale =
        [](const HybridScales& scales, size_t n, const int32_t* sums, float* y) {
          HWY_DYNAMIC_DISPATCH(hybrid_scale)
          (scales, n, sums, y);
        },
    .scale_whole_floats =
        [](const HybridScales& scales, size_t n, const float* sums, float* y) {
          HWY_DYNAMIC_DISPATCH(hybrid_scale_whole_floats)(scales, n, sums, y);
        },
};

}  // namespace hone
#endif  // HWY_ONCE
