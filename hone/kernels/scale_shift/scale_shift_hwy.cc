#include "hone/kernels/hwy_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hone/kernels/scale_shift/scale_shift_hwy.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h, which includes this file again once per instruction set.
#include "hone/kernels/hwy_vectors-inl.h"
#include "hone/kernels/scale_shift/scale_shift.h"
#include "hone/kernels/vector_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {
namespace {

// Floats in registers, as scales and shifts are, whatever the elements are in memory.
struct Bounds {
  HwyF32::Vec low;
  HwyF32::Vec high;

  HWY_INLINE HwyF32::Vec clamp(HwyF32::Vec v) const {
    return HwyF32::max(low, HwyF32::min(high, v));
  }
};

template <class V>
struct ScaleRow {
  typename V::Vec scale;
  typename V::Vec shift;
  Bounds bounds;

  HWY_INLINE typename V::Vec operator()(typename V::Vec x) const {
    return bounds.clamp(V::fma(shift, x, scale));
  }
};

template <class V>
void scale_rows(const ScaleShiftArgs<typename V::Element>& p, const Bounds& bounds) {
  for (size_t r = 0; r < p.rows; ++r) {
    const ScaleRow<V> fn{V::broadcast(p.scale[r]), V::broadcast(p.shift[r]), bounds};
    map_row<V>(fn, p.cols, p.x + r * p.cols, p.y + r * p.cols);
  }
}

template <class V>
HWY_INLINE typename V::Vec scaled(const ScaleShiftArgs<typename V::Element>& p, size_t c,
                                  typename V::Vec x) {
  return V::fma(HwyF32::load(p.shift + c), x, HwyF32::load(p.scale + c));
}

template <class V>
void scale_columns(const ScaleShiftArgs<typename V::Element>& p, const Bounds& bounds) {
  constexpr size_t kAtOnce = 4;
  for (size_t r = 0; r < p.rows; ++r) {
    const typename V::Element* x = p.x + r * p.cols;
    typename V::Element* y = p.y + r * p.cols;
    size_t c = 0;
    for (; c + kAtOnce * V::kLanes <= p.cols; c += kAtOnce * V::kLanes) {
      typename V::Vec v[kAtOnce];
      HONE_UNROLL
      for (size_t i = 0; i < kAtOnce; ++i) {
        const size_t at = c + i * V::kLanes;
        v[i] = bounds.clamp(scaled<V>(p, at, V::load(x + at)));
      }
      HONE_UNROLL
      for (size_t i = 0; i < kAtOnce; ++i) V::store(y + c + i * V::kLanes, v[i]);
    }
    for (; c + V::kLanes <= p.cols; c += V::kLanes) {
      V::store(y + c, bounds.clamp(scaled<V>(p, c, V::load(x + c))));
    }
    if (const size_t n = p.cols - c; n > 0) {
      const auto v = V::fma(load_first<HwyF32>(p.shift + c, n), load_first<V>(x + c, n),
                            load_first<HwyF32>(p.scale + c, n));
      store_first<V>(y + c, bounds.clamp(v), n);
    }
  }
}

template <class V>
void scale_shift(const ScaleShiftArgs<typename V::Element>& p) {
  const Bounds bounds{V::broadcast(p.low), V::broadcast(p.high)};
  return p.per_row ? scale_rows<V>(p, bounds) : scale_columns<V>(p, bounds);
}

}  // namespace

void scale_shift_f32(const ScaleShiftArgs<float>& args) {
  scale_shift<HwyF32>(args);
}

void scale_shift_f16(const ScaleShiftArgs<Half>& args) {
  scale_shift<HwyF16>(args);
}

}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hone {

HWY_EXPORT(scale_shift_f32);
HWY_EXPORT(scale_shift_f16);

void scale_shift_f32_hwy(const ScaleShiftArgs<float>& args) {
  HWY_DYNAMIC_DISPATCH(scale_shift_f32)(args);
}

void scale_shift_f16_hwy(const ScaleShiftArgs<Half>& args) {
  HWY_DYNAMIC_DISPATCH(scale_shift_f16)(args);
}

}  // namespace hone
#endif  // HWY_ONCE
