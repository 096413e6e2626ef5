// For reduce_hwy.cc.

#if defined(HONE_KERNELS_REDUCE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HONE_KERNELS_REDUCE_INL_H_
#undef HONE_KERNELS_REDUCE_INL_H_
#else
#define HONE_KERNELS_REDUCE_INL_H_
#endif

#include "hone/kernels/reduce/reduce.h"
#include "hone/kernels/vector_fold-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {
namespace {

// One `outer`: kVectors vectors of `inner`, whose folds stay in registers, from column i on.
template <class V, class Fold, size_t kVectors>
HWY_INLINE void reduce_columns(const ReduceArgs<typename V::Element>& p,
                               const typename V::Element* x, float factor, typename V::Element* y) {
  typename V::Vec folds[kVectors];
  HONE_UNROLL
  for (size_t v = 0; v < kVectors; ++v) folds[v] = V::broadcast(Fold::kFirst);
  for (size_t k = 0; k < p.n; ++k, x += p.stride) {
    HONE_UNROLL
    for (size_t v = 0; v < kVectors; ++v) {
      folds[v] = Fold::template step<V>(folds[v], V::load(x + v * V::kLanes));
    }
  }
  HONE_UNROLL
  for (size_t v = 0; v < kVectors; ++v) {
    V::store(y + v * V::kLanes, V::mul(folds[v], V::broadcast(factor)));
  }
}

template <class V, class Fold>
HWY_INLINE void reduce_first_columns(const ReduceArgs<typename V::Element>& p, size_t columns,
                                     const typename V::Element* x, float factor,
                                     typename V::Element* y) {
  auto fold = V::broadcast(Fold::kFirst);
  for (size_t k = 0; k < p.n; ++k) {
    fold = Fold::template step<V>(fold, load_first<V>(x + k * p.stride, columns));
  }
  store_first<V>(y, V::mul(fold, V::broadcast(factor)), columns);
}

template <class V, class Fold>
void reduce_by(const ReduceArgs<typename V::Element>& p, float factor) {
  // Sixteen vectors make 256 bytes of every row: long enough runs for the prefetcher.
  constexpr size_t kMany = 16 * V::kLanes;
  for (size_t o = 0; o < p.outer; ++o) {
    const typename V::Element* x = p.x + o * p.outer_stride;
    typename V::Element* y = p.y + o * p.y_stride;
    if (p.inner == 1 && p.stride == 1) {
      *y = typename V::Element(fold_row<V, Fold>(p.n, x) * factor);
      continue;
    }
    size_t i = 0;
    for (; i + kMany <= p.inner; i += kMany) reduce_columns<V, Fold, 16>(p, x + i, factor, y + i);
    for (; i + 4 * V::kLanes <= p.inner; i += 4 * V::kLanes) {
      reduce_columns<V, Fold, 4>(p, x + i, factor, y + i);
    }
    for (; i + V::kLanes <= p.inner; i += V::kLanes) {
      reduce_columns<V, Fold, 1>(p, x + i, factor, y + i);
    }
    if (i < p.inner) reduce_first_columns<V, Fold>(p, p.inner - i, x + i, factor, y + i);
  }
}

template <class V>
void reduce(const ReduceArgs<typename V::Element>& p) {
  switch (p.op) {
    case ReduceOp::Sum:
      return reduce_by<V, SumFold>(p, 1);
    case ReduceOp::Mean:
      return reduce_by<V, SumFold>(p, 1.0f / static_cast<float>(p.n));
    case ReduceOp::Max:
      return reduce_by<V, MaxFold>(p, 1);
    case ReduceOp::Min:
      return reduce_by<V, MinFold>(p, 1);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#endif  // HONE_KERNELS_REDUCE_INL_H_
