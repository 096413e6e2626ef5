// For layer_norm_hwy.cc.

#if defined(HONE_KERNELS_LAYER_NORM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HONE_KERNELS_LAYER_NORM_INL_H_
#undef HONE_KERNELS_LAYER_NORM_INL_H_
#else
#define HONE_KERNELS_LAYER_NORM_INL_H_
#endif

#include <cmath>

#include "hone/kernels/layer_norm/layer_norm.h"
#include "hone/kernels/vector_fold-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {
namespace {

// (x - mean)^2, whose sum is taken in a pass of its own: the difference of mean squares loses
// digits.
template <class V>
struct SquaredDistance {
  float mean;
  HWY_INLINE typename V::Vec operator()(typename V::Vec x) const {
    const auto distance = V::sub(x, V::broadcast(mean));
    return V::mul(distance, distance);
  }
  float operator()(float x) const { return (x - mean) * (x - mean); }
};

// y = (x - mean) * inverse * scale + bias for one vector, or its first n lanes.
template <class V>
struct NormRow {
  using T = typename V::Element;
  const LayerNormArgs<T>& p;
  const T* x;
  T* y;
  typename V::Vec mean, inverse;

  HWY_INLINE void vector(size_t c) const {
    auto v = V::mul(V::sub(V::load(x + c), mean), inverse);
    if (p.scale != nullptr) v = V::mul(v, V::load(p.scale + c));
    if (p.bias != nullptr) v = V::add(v, V::load(p.bias + c));
    V::store(y + c, v);
  }
  HWY_INLINE void first(size_t c, size_t n) const {
    auto v = V::mul(V::sub(load_first<V>(x + c, n), mean), inverse);
    if (p.scale != nullptr) v = V::mul(v, load_first<V>(p.scale + c, n));
    if (p.bias != nullptr) v = V::add(v, load_first<V>(p.bias + c, n));
    store_first<V>(y + c, v, n);
  }
};

template <class V>
void layer_norm(const LayerNormArgs<typename V::Element>& p) {
  const float per_element = 1.0f / static_cast<float>(p.cols);
  for (size_t r = 0; r < p.rows; ++r) {
    const typename V::Element* x = p.x + r * p.cols;
    const float mean = p.rms ? 0.0f : fold_row<V, SumFold>(p.cols, x) * per_element;
    const float square = fold_row<V, SumFold>(p.cols, x, SquaredDistance<V>{mean}) * per_element;
    const NormRow<V> row{p, x, p.y + r * p.cols, V::broadcast(mean),
                         V::broadcast(1 / std::sqrt(square + p.epsilon))};
    size_t c = 0;
    for (; c + V::kLanes <= p.cols; c += V::kLanes) row.vector(c);
    if (c < p.cols) row.first(c, p.cols - c);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#endif  // HONE_KERNELS_LAYER_NORM_INL_H_
