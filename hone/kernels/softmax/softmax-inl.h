// For softmax_hwy.cc.

#if defined(HONE_KERNELS_SOFTMAX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HONE_KERNELS_SOFTMAX_INL_H_
#undef HONE_KERNELS_SOFTMAX_INL_H_
#else
#define HONE_KERNELS_SOFTMAX_INL_H_
#endif

#include "hone/kernels/vector_fold-inl.h"
#include "hone/kernels/vector_math-inl.h"
#include "hone/kernels/vector_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {
namespace {

// Writes exp(x - max) to y and returns the sum of what it wrote.
template <class V>
float exp_and_sum(size_t cols, const typename V::Element* x, float max, typename V::Element* y) {
  const auto shift = V::broadcast(max);
  auto sum = V::broadcast(0.0f);
  size_t c = 0;
  constexpr size_t kAtOnce = 4;
  for (; c + kAtOnce * V::kLanes <= cols; c += kAtOnce * V::kLanes) {
    typename V::Vec e[kAtOnce];
    HONE_UNROLL
    for (size_t i = 0; i < kAtOnce; ++i) {
      e[i] = exp_of<V>(V::sub(V::load(x + c + i * V::kLanes), shift));
    }
    HONE_UNROLL
    for (size_t i = 0; i < kAtOnce; ++i) {
      V::store(y + c + i * V::kLanes, e[i]);
      sum = V::add(sum, e[i]);
    }
  }
  for (; c + V::kLanes <= cols; c += V::kLanes) {
    const auto e = exp_of<V>(V::sub(V::load(x + c), shift));
    V::store(y + c, e);
    sum = V::add(sum, e);
  }
  float total = V::sum_of_lanes(sum);
  if (const size_t n = cols - c; n > 0) {
    float lanes[V::kLanes];
    const auto e = exp_of<V>(V::sub(load_first<V>(x + c, n), shift));
    store_first<V>(y + c, e, n);
    V::store_floats(lanes, e);
    for (size_t i = 0; i < n; ++i) total += lanes[i];
  }
  return total;
}

template <class V>
struct TimesScale {
  typename V::Vec scale;
  HWY_INLINE typename V::Vec operator()(typename V::Vec x) const { return V::mul(x, scale); }
};

template <class V>
void softmax(size_t rows, size_t cols, const typename V::Element* x, typename V::Element* y) {
  for (size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    const float max = fold_row<V, MaxFold>(cols, x);
    const float sum = exp_and_sum<V>(cols, x, max, y);
    map_row<V>(TimesScale<V>{V::broadcast(1 / sum)}, cols, y, y);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#endif  // HONE_KERNELS_SOFTMAX_INL_H_
