// Pools of fewer channels than a vector holds, for pool-inl.h and pool_i8-inl.h: a vector takes
// neighbours in the row.

#if defined(HONE_KERNELS_POOL_FEW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HONE_KERNELS_POOL_FEW_INL_H_
#undef HONE_KERNELS_POOL_FEW_INL_H_
#else
#define HONE_KERNELS_POOL_FEW_INL_H_
#endif

#include "hone/kernels/pool/pool_window.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {
namespace {

// As many windows as are folded at a time, of `n` that lie side by side and inside the row, from
// `window` on. Folds at every element of the input, those between the windows too, and keeps what
// lies under them: fold(window, c, y) writes y[c .. c + kLanes - 1] for the windows moved by
// c .. c + kLanes - 1 elements. Returns how many windows that were; 0: less than a vector.
template <size_t kLanes, class T, class Fold>
HWY_INLINE size_t pool_neighbours(const PoolArgs<T>& p, const PoolWindow<T>& window, size_t n,
                                  const Fold& fold, T* y) {
  constexpr size_t kMost = 32 * kLanes;
  const size_t step = p.width.stride * p.pixel();
  n = HWY_MIN(n, (kMost - p.channels) / step + 1);
  const size_t elements = (n - 1) * step + p.channels;
  if (elements < kLanes) return 0;
  T folds[kMost];
  size_t c = 0;
  for (; c + kLanes <= elements; c += kLanes) fold(window, c, folds);
  // The last vector overlaps the one before it.
  if (c < elements) fold(window, elements - kLanes, folds);
  for (size_t i = 0; i < n; ++i) {
    for (size_t k = 0; k < p.channels; ++k) y[i * p.pixel() + k] = folds[i * step + k];
  }
  return n;
}

// Requires channels < kLanes. pixel(window, y) computes a single window.
template <size_t kLanes, class T, class Fold, class Pixel>
HWY_INLINE void pool_few_channels(const PoolArgs<T>& p, size_t first, size_t last, const Fold& fold,
                                  const Pixel& pixel) {
  const PoolInside inside = pool_inside(p.width);
  for (size_t row = first; row < last; ++row) {
    const PoolRow<T> windows(p, row);
    for (size_t i = 0; i < p.width.out;) {
      const PoolWindow<T> window = windows.window(i);
      const size_t done =
          i >= inside.begin && i < inside.end
              ? pool_neighbours<kLanes>(p, window, inside.end - i, fold, windows.y(i))
              : 0;
      if (done == 0) pixel(window, windows.y(i));
      i += HWY_MAX(done, 1);
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#endif  // HONE_KERNELS_POOL_FEW_INL_H_
