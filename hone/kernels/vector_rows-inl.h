// Walks rows of elements vector by vector, for the interfaces of neon_vectors.h and
// hwy_vectors-inl.h. Nothing outside a row is touched.

// The guard turns over with every instruction set, see hwy/foreach_target.h.
#if defined(HONE_KERNELS_VECTOR_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HONE_KERNELS_VECTOR_ROWS_INL_H_
#undef HONE_KERNELS_VECTOR_ROWS_INL_H_
#else
#define HONE_KERNELS_VECTOR_ROWS_INL_H_
#endif

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "hone/kernels/unroll.h"
#include "hone/kernels/vector_group-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {
namespace {

// The first n elements, n < kLanes; the other lanes are zero.
template <class V>
HWY_INLINE typename V::Vec load_first(const typename V::Element* x, size_t n) {
  if constexpr (requires { V::load_first(x, n); }) {
    return V::load_first(x, n);
  } else {
    typename V::Element buffer[V::kLanes] = {};
    std::memcpy(buffer, x, n * sizeof(buffer[0]));
    return V::load(buffer);
  }
}

template <class V>
HWY_INLINE void store_first(typename V::Element* y, typename V::Vec x, size_t n) {
  if constexpr (requires { V::store_first(y, x, n); }) {
    V::store_first(y, x, n);
  } else {
    typename V::Element buffer[V::kLanes];
    V::store(buffer, x);
    std::memcpy(y, buffer, n * sizeof(buffer[0]));
  }
}

// y[c] = fn(x[c]). Four vectors at a time, so that the constants of fn are loaded once for them
// and their chains of operations overlap; as a group, if fn takes groups.
template <class V, class Fn>
void map_row(const Fn& fn, size_t cols, const typename V::Element* x, typename V::Element* y) {
  using Group = VectorGroup<V>;
  constexpr size_t kAtOnce = Group::kLanes / V::kLanes;
  size_t c = 0;
  for (; c + Group::kLanes <= cols; c += Group::kLanes) {
    if constexpr (std::is_invocable_v<Fn, typename Group::Vec>) {
      Group::store(y + c, fn(Group::load(x + c)));
    } else {
      typename V::Vec v[kAtOnce];
      HONE_UNROLL
      for (size_t i = 0; i < kAtOnce; ++i) v[i] = fn(V::load(x + c + i * V::kLanes));
      HONE_UNROLL
      for (size_t i = 0; i < kAtOnce; ++i) V::store(y + c + i * V::kLanes, v[i]);
    }
  }
  for (; c + V::kLanes <= cols; c += V::kLanes) V::store(y + c, fn(V::load(x + c)));
  if (c < cols) store_first<V>(y + c, fn(load_first<V>(x + c, cols - c)), cols - c);
}

template <class V, class Fn>
void map_rows(const Fn& fn, size_t rows, size_t cols, const typename V::Element* x, size_t x_stride,
              typename V::Element* y, size_t y_stride) {
  if (x_stride == cols && y_stride == cols) {
    cols *= rows;
    rows = 1;
  }
  for (size_t r = 0; r < rows; ++r) map_row<V>(fn, cols, x + r * x_stride, y + r * y_stride);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#endif  // HONE_KERNELS_VECTOR_ROWS_INL_H_
