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

using D = hn::ScalableTag<float>;
using DInt = hn::RebindToSigned<D>;
constexpr size_t kLanes = hn::MaxLanes(D());

template <bool kTiesToEven>
HWY_INLINE hn::Vec<DInt> round_to_int(hn::Vec<D> steps) {
  const D d;
  steps = hn::IfThenElseZero(hn::Eq(steps, steps), steps);  // NaN becomes 0.
  steps = hn::Max(hn::Set(d, -0x1p20f), hn::Min(hn::Set(d, 0x1p20f), steps));
  if constexpr (kTiesToEven) return hn::NearestInt(steps);
  // The largest float below a half: half itself would lift 0.49999997 to 1.
  const auto half = hn::CopySign(hn::Set(d, 0x1.fffffep-2f), steps);
  return hn::ConvertTo(DInt(), hn::Add(steps, half));
}

template <bool kTiesToEven, class T>
HWY_INLINE void quantize_vector(const QuantizeI8& p, const float* x, T* y) {
  const hn::Rebind<T, D> d_bytes;
  const auto steps = hn::Div(hn::LoadU(D(), x), hn::Set(D(), p.scale));
  auto q = hn::Add(round_to_int<kTiesToEven>(steps), hn::Set(DInt(), p.zero_point));
  q = hn::Max(hn::Set(DInt(), p.low), hn::Min(hn::Set(DInt(), p.high), q));
  hn::StoreU(hn::DemoteTo(d_bytes, q), d_bytes, y);
}

template <bool kTiesToEven, class T>
void quantize_row(const QuantizeI8& p, size_t n, const float* x, T* y) {
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) quantize_vector<kTiesToEven>(p, x + i, y + i);
  if (i == n) return;
  float from[kLanes] = {};
  T to[kLanes];
  std::memcpy(from, x + i, (n - i) * sizeof(float));
  quantize_vector<kTiesToEven>(p, from, to);
  std::memcpy(y + i, to, n - i);
}

template <class T>
void quantize(const QuantizeI8& p, size_t n, const float* x, T* y) {
  return p.ties_to_even ? quantize_row<true>(p, n, x, y) : quantize_row<false>(p, n, x, y);
}

template <class T>
void dequantize(float scale, int32_t zero_point, size_t n, const T* x, float* y) {
  const hn::Rebind<T, D> d_bytes;
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const auto q = hn::PromoteTo(DInt(), hn::LoadU(d_bytes, x + i));
    const auto steps = hn::ConvertTo(D(), hn::Sub(q, hn::Set(DInt(), zero_point)));
    hn::StoreU(hn::Mul(steps, hn::Set(D(), scale)), D(), y + i);
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
