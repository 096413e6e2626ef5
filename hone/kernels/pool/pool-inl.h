// Pools of floats on vectors of channels, for pool_hwy.cc and pool_neon_fp16.cc.

#if defined(HONE_KERNELS_POOL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HONE_KERNELS_POOL_INL_H_
#undef HONE_KERNELS_POOL_INL_H_
#else
#define HONE_KERNELS_POOL_INL_H_
#endif

#include <limits>

#include "hone/kernels/pool/pool_few-inl.h"
#include "hone/kernels/vector_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {
namespace {

template <class V>
struct FloatPool {
  using T = typename V::Element;
  using Vec = typename V::Vec;

  bool average;
  Vec first;  // What a fold starts from.
  Vec low, high;

  explicit HWY_INLINE FloatPool(const PoolArgs<T>& p)
      : average(p.average),
        first(V::broadcast(p.average ? 0.0f : -std::numeric_limits<float>::infinity())),
        low(V::broadcast(p.low)),
        high(V::broadcast(p.high)) {}

  template <bool kAverage>
  static HWY_INLINE Vec step(Vec fold, Vec x) {
    if constexpr (kAverage) return V::add(fold, x);
    return V::max_or_nan(fold, x);
  }

  // kVectors vectors of channels: their folds stay in registers through the window.
  template <bool kAverage, size_t kVectors>
  HWY_INLINE void fold(const PoolWindow<T>& window, size_t c, T* y) const {
    Vec folds[kVectors];
    HONE_UNROLL
    for (size_t i = 0; i < kVectors; ++i) folds[i] = first;
    const T* row = window.x + c;
    for (size_t h = 0; h < window.height; ++h, row += window.row_step) {
      const T* x = row;
      for (size_t w = 0; w < window.width; ++w, x += window.pixel_step) {
        HONE_UNROLL
        for (size_t i = 0; i < kVectors; ++i) {
          folds[i] = step<kAverage>(folds[i], V::load(x + i * V::kLanes));
        }
      }
    }
    HONE_UNROLL
    for (size_t i = 0; i < kVectors; ++i) {
      V::store(y + c + i * V::kLanes, finish<kAverage>(folds[i], window));
    }
  }

  // The first n < kLanes channels.
  template <bool kAverage>
  HWY_INLINE void fold_first(const PoolWindow<T>& window, size_t n, T* y) const {
    Vec fold = first;
    for (size_t h = 0; h < window.height; ++h) {
      for (size_t w = 0; w < window.width; ++w) {
        const T* x = window.x + h * window.row_step + w * window.pixel_step;
        fold = step<kAverage>(fold, load_first<V>(x, n));
      }
    }
    store_first<V>(y, finish<kAverage>(fold, window), n);
  }

  template <bool kAverage>
  HWY_INLINE Vec finish(Vec fold, const PoolWindow<T>& window) const {
    if constexpr (kAverage) {
      fold = V::mul(fold, V::broadcast(1.0f / static_cast<float>(window.divisor)));
    }
    return V::max(low, V::min(high, fold));
  }

  // `vectors` of them, at least 1 and at most kMost. All at once: each by itself would go over the
  // whole window, and wait for its last sum at every pixel.
  template <bool kAverage, size_t kMost>
  HWY_INLINE void fold_up_to(size_t vectors, const PoolWindow<T>& window, size_t c, T* y) const {
    if constexpr (kMost > 1) {
      if (vectors < kMost) return fold_up_to<kAverage, kMost - 1>(vectors, window, c, y);
    }
    fold<kAverage, kMost>(window, c, y);
  }

  // Requires channels >= kLanes.
  template <bool kAverage>
  HWY_INLINE void pixel(const PoolWindow<T>& window, size_t channels, T* y) const {
    constexpr size_t kMany = 8;
    size_t c = 0;
    for (; c + kMany * V::kLanes <= channels; c += kMany * V::kLanes) {
      fold<kAverage, kMany>(window, c, y);
    }
    if (const size_t vectors = (channels - c) / V::kLanes; vectors > 0) {
      fold_up_to<kAverage, kMany - 1>(vectors, window, c, y);
      c += vectors * V::kLanes;
    }
    // The last vector overlaps the one before it.
    if (c < channels) fold<kAverage, 1>(window, channels - V::kLanes, y);
  }
};

template <class V, bool kAverage>
void pool_floats_of(const PoolArgs<typename V::Element>& p, size_t first, size_t last) {
  using T = typename V::Element;
  const FloatPool<V> pool(p);
  if (p.channels < V::kLanes) {
    return pool_few_channels<V::kLanes>(
        p, first, last,
        [&](const PoolWindow<T>& window, size_t c, T* y)
            HWY_ATTR { pool.template fold<kAverage, 1>(window, c, y); },
        [&](const PoolWindow<T>& window, T* y)
            HWY_ATTR { pool.template fold_first<kAverage>(window, p.channels, y); });
  }
  for_each_pool_window(p, first, last, [&](const PoolWindow<T>& window, T* y) HWY_ATTR {
    pool.template pixel<kAverage>(window, p.channels, y);
  });
}

template <class V>
void pool_floats(const PoolArgs<typename V::Element>& p, size_t first, size_t last) {
  return p.average ? pool_floats_of<V, true>(p, first, last)
                   : pool_floats_of<V, false>(p, first, last);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#endif  // HONE_KERNELS_POOL_INL_H_
