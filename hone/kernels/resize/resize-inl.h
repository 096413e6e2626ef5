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

template <class V>
HWY_INLINE void blend_pixel(const ResizePixel<typename V::Element>& pixel, size_t channels,
                            typename V::Element* y) {
  const auto w0 = V::broadcast(pixel.weights[0]), w1 = V::broadcast(pixel.weights[1]);
  const auto w2 = V::broadcast(pixel.weights[2]), w3 = V::broadcast(pixel.weights[3]);
  size_t c = 0;
  for (; c + V::kLanes <= channels; c += V::kLanes) {
    auto sum = V::mul(w0, V::load(pixel.x[0] + c));
    sum = V::fma(sum, w1, V::load(pixel.x[1] + c));
    sum = V::fma(sum, w2, V::load(pixel.x[2] + c));
    V::store(y + c, V::fma(sum, w3, V::load(pixel.x[3] + c)));
  }
  if (const size_t n = channels - c; n > 0) {
    auto sum = V::mul(w0, load_first<V>(pixel.x[0] + c, n));
    sum = V::fma(sum, w1, load_first<V>(pixel.x[1] + c, n));
    sum = V::fma(sum, w2, load_first<V>(pixel.x[2] + c, n));
    store_first<V>(y + c, V::fma(sum, w3, load_first<V>(pixel.x[3] + c, n)), n);
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
