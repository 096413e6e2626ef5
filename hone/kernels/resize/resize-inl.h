// For resize_hwy.cc.

#if defined(HONE_KERNELS_RESIZE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HONE_KERNELS_RESIZE_INL_H_
#undef HONE_KERNELS_RESIZE_INL_H_
#else
#define HONE_KERNELS_RESIZE_INL_H_
#endif

#include "hone/kernels/resize/resize_pixel.h"
#include "hone/kernels/vector_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {
namespace {

// Without fused multiply-adds, which not every CPU has: what is quantized behind this is the same on all,
// also where it lies between two integers.
template <class V>
HWY_INLINE typename V::Vec blend_four(const float (&weights)[4], const typename V::Vec (&x)[4]) {
  auto sum = V::mul(V::broadcast(weights[0]), x[0]);
  sum = V::add(sum, V::mul(V::broadcast(weights[1]), x[1]));
  sum = V::add(sum, V::mul(V::broadcast(weights[2]), x[2]));
  return V::add(sum, V::mul(V::broadcast(weights[3]), x[3]));
}

template <class V>
HWY_INLINE void blend_pixel(const ResizePixel<typename V::Element>& pixel, size_t channels,
                            typename V::Element* y) {
  const auto& x = pixel.x;
  size_t c = 0;
  for (; c + V::kLanes <= channels; c += V::kLanes) {
    V::store(y + c, blend_four<V>(pixel.weights, {V::load(x[0] + c), V::load(x[1] + c),
                                                  V::load(x[2] + c), V::load(x[3] + c)}));
  }
  if (const size_t n = channels - c; n > 0) {
    store_first<V>(
        y + c,
        blend_four<V>(pixel.weights, {load_first<V>(x[0] + c, n), load_first<V>(x[1] + c, n),
                                      load_first<V>(x[2] + c, n), load_first<V>(x[3] + c, n)}),
        n);
  }
}

template <class V>
void resize_bilinear(const ResizeArgs<typename V::Element>& p, size_t first, size_t last) {
  using T = typename V::Element;
  for_each_resize_pixel(p, first, last, [&](const ResizePixel<T>& pixel, T* y) HWY_ATTR {
    blend_pixel<V>(pixel, p.channels, y);
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#endif  // HONE_KERNELS_RESIZE_INL_H_
