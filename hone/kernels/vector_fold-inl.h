// Sums, maxima and minima of rows, vector by vector.

// The guard turns over with every instruction set, see hwy/foreach_target.h.
#if defined(HONE_KERNELS_VECTOR_FOLD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HONE_KERNELS_VECTOR_FOLD_INL_H_
#undef HONE_KERNELS_VECTOR_FOLD_INL_H_
#else
#define HONE_KERNELS_VECTOR_FOLD_INL_H_
#endif

#include <cmath>
#include <limits>

#include "hone/kernels/unroll.h"
#include "hone/kernels/vector_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {
namespace {

// How a fold starts, goes on, and joins the lanes. Only for vectors that compute in floats.
struct SumFold {
  static constexpr float kFirst = 0;
  template <class V>
  static HWY_INLINE typename V::Vec step(typename V::Vec fold, typename V::Vec x) {
    return V::add(fold, x);
  }
  template <class V>
  static HWY_INLINE float lanes(typename V::Vec fold) {
    return V::sum_of_lanes(fold);
  }
  static float step(float fold, float x) { return fold + x; }
};

struct MaxFold {
  static constexpr float kFirst = -std::numeric_limits<float>::infinity();
  template <class V>
  static HWY_INLINE typename V::Vec step(typename V::Vec fold, typename V::Vec x) {
    return V::max_or_nan(fold, x);
  }
  template <class V>
  static HWY_INLINE float lanes(typename V::Vec fold) {
    return V::max_of_lanes(fold);
  }
  static float step(float fold, float x) { return x > fold || std::isnan(x) ? x : fold; }
};

struct MinFold {
  static constexpr float kFirst = std::numeric_limits<float>::infinity();
  template <class V>
  static HWY_INLINE typename V::Vec step(typename V::Vec fold, typename V::Vec x) {
    return V::min_or_nan(fold, x);
  }
  template <class V>
  static HWY_INLINE float lanes(typename V::Vec fold) {
    return V::min_of_lanes(fold);
  }
  static float step(float fold, float x) { return x < fold || std::isnan(x) ? x : fold; }
};

// What is folded of an element, where it is the element.
template <class V>
struct Itself {
  HWY_INLINE typename V::Vec operator()(typename V::Vec x) const { return x; }
  float operator()(float x) const { return x; }
};

// The fold of fn(x[0]) .. fn(x[n - 1]). Four vectors at a time hide the latency of a step.
template <class V, class Fold, class Fn = Itself<V>>
HWY_INLINE float fold_row(size_t n, const typename V::Element* x, const Fn& fn = Fn()) {
  constexpr size_t kAtOnce = 4;
  typename V::Vec folds[kAtOnce];
  HONE_UNROLL
  for (size_t i = 0; i < kAtOnce; ++i) folds[i] = V::broadcast(Fold::kFirst);
  size_t c = 0;
  for (; c + kAtOnce * V::kLanes <= n; c += kAtOnce * V::kLanes) {
    HONE_UNROLL
    for (size_t i = 0; i < kAtOnce; ++i) {
      folds[i] = Fold::template step<V>(folds[i], fn(V::load(x + c + i * V::kLanes)));
    }
  }
  for (; c + V::kLanes <= n; c += V::kLanes) {
    folds[0] = Fold::template step<V>(folds[0], fn(V::load(x + c)));
  }
  HONE_UNROLL
  for (size_t i = 1; i < kAtOnce; ++i) folds[0] = Fold::template step<V>(folds[0], folds[i]);
  float fold = Fold::template lanes<V>(folds[0]);
  for (; c < n; ++c) fold = Fold::step(fold, fn(float{x[c]}));
  return fold;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#endif  // HONE_KERNELS_VECTOR_FOLD_INL_H_
