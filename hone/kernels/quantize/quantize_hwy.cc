#include <cstring>

#include "hone/kernels/hwy_targets.h"
#include "hone/kernels/quantize/quantize.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hone/kernels/quantize/quantize_hwy.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h, which includes this file again once per instruction set.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

using DStep = hn::ScalableTag<float>;
using DWhole = hn::RebindToSigned<DStep>;
constexpr size_t kStepLanes = hn::MaxLanes(DStep());

// x / scale, to the last bit, within 2^20 either way: beyond that nothing but the clamp can follow.
struct Division {
  explicit HWY_INLINE Division(float by) : scale(hn::Set(DStep(), by)) {}
  HWY_INLINE hn::Vec<DStep> operator()(hn::Vec<DStep> x) const {
    const auto steps = hn::Div(x, scale);
    return hn::Max(hn::Set(DStep(), -0x1p20f), hn::Min(hn::Set(DStep(), 0x1p20f), steps));
  }

  hn::Vec<DStep> scale;
};

// The same by a product with the reciprocal, corrected twice by what it leaves of x; needs fused
// sums. Quotients far below a half may be off.
struct Reciprocal {
  explicit HWY_INLINE Reciprocal(float by)
      : scale(hn::Set(DStep(), by)),
        reciprocal(hn::Set(DStep(), 1 / by)),
        least(hn::Set(DStep(), by * -0x1p20f)),
        most(hn::Set(DStep(), by * 0x1p20f)) {}
  static bool takes(float scale) { return scale >= 0x1p-90f && scale <= 0x1p90f; }

  HWY_INLINE hn::Vec<DStep> operator()(hn::Vec<DStep> x) const {
    x = hn::Max(least, hn::Min(most, x));
    auto quotient = hn::Mul(x, reciprocal);
    quotient = hn::MulAdd(hn::NegMulAdd(quotient, scale, x), reciprocal, quotient);
    return hn::MulAdd(hn::NegMulAdd(quotient, scale, x), reciprocal, quotient);
  }

  hn::Vec<DStep> scale, reciprocal, least, most;
};

template <bool kTiesToEven>
HWY_INLINE hn::Vec<DWhole> round_to_int(hn::Vec<DStep> steps) {
  if constexpr (kTiesToEven) return hn::NearestInt(steps);
  // The largest float below a half: half itself would lift 0.49999997 to 1.
  const auto half = hn::CopySign(hn::Set(DStep(), 0x1.fffffep-2f), steps);
  return hn::ConvertTo(DWhole(), hn::Add(steps, half));
}

template <bool kTiesToEven, class Divide, class T>
HWY_INLINE void quantize_vector(const QuantizeI8& p, const Divide& divide, const float* from,
                                T* y) {
  const hn::Rebind<T, DStep> d_bytes;
  auto x = hn::LoadU(DStep(), from);
  x = hn::IfThenElseZero(hn::Eq(x, x), x);  // NaN becomes 0.
  auto q = hn::Add(round_to_int<kTiesToEven>(divide(x)), hn::Set(DWhole(), p.zero_point));
  q = hn::Max(hn::Set(DWhole(), p.low), hn::Min(hn::Set(DWhole(), p.high), q));
  hn::StoreU(hn::DemoteTo(d_bytes, q), d_bytes, y);
}

template <bool kTiesToEven, class Divide, class T>
void quantize_row(const QuantizeI8& given, size_t n, const float* x, T* y) {
  const QuantizeI8 p = given;  // A copy, which writing to y cannot change.
  const Divide divide(p.scale);
  size_t i = 0;
  for (; i + kStepLanes <= n; i += kStepLanes)
    quantize_vector<kTiesToEven>(p, divide, x + i, y + i);
  if (i == n) return;
  float from[kStepLanes] = {};
  T to[kStepLanes];
  std::memcpy(from, x + i, (n - i) * sizeof(float));
  quantize_vector<kTiesToEven>(p, divide, from, to);
  std::memcpy(y + i, to, n - i);
}

template <class Divide, class T>
void quantize_by(const QuantizeI8& p, size_t n, const float* x, T* y) {
  return p.ties_to_even ? quantize_row<true, Divide>(p, n, x, y)
                        : quantize_row<false, Divide>(p, n, x, y);
}

template <class T>
void quantize(const QuantizeI8& p, size_t n, const float* x, T* y) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SSE4
  // Divisions of vectors of x86 take a cycle an element.
  if (Reciprocal::takes(p.scale)) return quantize_by<Reciprocal>(p, n, x, y);
#endif
  quantize_by<Division>(p, n, x, y);
}

template <class T>
void dequantize(float scale, int32_t zero_point, size_t n, const T* x, float* y) {
  const hn::Rebind<T, DStep> d_bytes;
  size_t i = 0;
  for (; i + kStepLanes <= n; i += kStepLanes) {
    const auto q = hn::PromoteTo(DWhole(), hn::LoadU(d_bytes, x + i));
    const auto steps = hn::ConvertTo(DStep(), hn::Sub(q, hn::Set(DWhole(), zero_point)));
    hn::StoreU(hn::Mul(steps, hn::Set(DStep(), scale)), DStep(), y + i);
  }
  for (; i < n; ++i) y[i] = scale * static_cast<float>(x[i] - zero_point);
}

}  // namespace

void quantize_i8(const QuantizeI8& args, size_t n, const float* x, int8_t* y) {
  quantize(args, n, x, y);
}

void quantize_u8(const QuantizeI8& args, size_t n, const float* x, uint8_t* y) {
  quantize(args, n, x, y);
}

void dequantize_i8(float scale, int32_t zero_point, size_t n, const int8_t* x, float* y) {
  dequantize(scale, zero_point, n, x, y);
}

void dequantize_u8(float scale, int32_t zero_point, size_t n, const uint8_t* x, float* y) {
  dequantize(scale, zero_point, n, x, y);
}

}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hone {

HWY_EXPORT(quantize_i8);
HWY_EXPORT(quantize_u8);
HWY_EXPORT(dequantize_i8);
HWY_EXPORT(dequantize_u8);

void quantize_i8_hwy(const QuantizeI8& args, size_t n, const float* x, int8_t* y) {
  HWY_DYNAMIC_DISPATCH(quantize_i8)(args, n, x, y);
}

void quantize_u8_hwy(const QuantizeI8& args, size_t n, const float* x, uint8_t* y) {
  HWY_DYNAMIC_DISPATCH(quantize_u8)(args, n, x, y);
}

void dequantize_i8_hwy(float scale, int32_t zero_point, size_t n, const int8_t* x, float* y) {
  HWY_DYNAMIC_DISPATCH(dequantize_i8)(scale, zero_point, n, x, y);
}

void dequantize_u8_hwy(float scale, int32_t zero_point, size_t n, const uint8_t* x, float* y) {
  HWY_DYNAMIC_DISPATCH(dequantize_u8)(scale, zero_point, n, x, y);
}

}  // namespace hone
#endif  // HWY_ONCE
