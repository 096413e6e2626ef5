// The operations on vectors, for binary_hwy.cc and binary_neon_fp16.cc.

#if defined(HONE_KERNELS_BINARY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HONE_KERNELS_BINARY_INL_H_
#undef HONE_KERNELS_BINARY_INL_H_
#else
#define HONE_KERNELS_BINARY_INL_H_
#endif

#include "hone/kernels/binary/binary.h"
#include "hone/kernels/vector_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {
namespace {

template <class V, BinaryOp kOp>
HWY_INLINE typename V::Vec apply(typename V::Vec a, typename V::Vec b) {
  if constexpr (kOp == BinaryOp::Add) return V::add(a, b);
  if constexpr (kOp == BinaryOp::Sub) return V::sub(a, b);
  if constexpr (kOp == BinaryOp::Mul) return V::mul(a, b);
  if constexpr (kOp == BinaryOp::Div) return V::div(a, b);
  // Of two numbers, min and max pass on a NaN in the second; the sum passes on one in the first.
  if constexpr (kOp == BinaryOp::Max) return V::if_nan(a, V::add(a, b), V::max(a, b));
  if constexpr (kOp == BinaryOp::Min) return V::if_nan(a, V::add(a, b), V::min(a, b));
}

// A row of an operand: its elements, or one value in every lane.
template <class V, bool kOne>
struct RowOf {
  const typename V::Element* data;
  typename V::Vec value;

  explicit HWY_INLINE RowOf(const typename V::Element* row) : data(row) {
    if constexpr (kOne) value = V::broadcast_from(row);
  }
  HWY_INLINE typename V::Vec load(size_t c) const {
    if constexpr (kOne) return value;
    return V::load(data + c);
  }
  HWY_INLINE typename V::Vec load_first(size_t c, size_t n) const {
    if constexpr (kOne) return value;
    return HWY_NAMESPACE::load_first<V>(data + c, n);
  }
};

template <class V, BinaryOp kOp, bool kOneA, bool kOneB>
void binary_rows(const BinaryArgs<typename V::Element>& p) {
  constexpr size_t kAtOnce = 4;
  const auto low = V::broadcast(p.low), high = V::broadcast(p.high);
  for (size_t r = 0; r < p.rows; ++r) {
    const RowOf<V, kOneA> a(p.a.data + r * p.a.row_stride);
    const RowOf<V, kOneB> b(p.b.data + r * p.b.row_stride);
    typename V::Element* y = p.y + r * p.y_stride;
    size_t c = 0;
    for (; c + kAtOnce * V::kLanes <= p.cols; c += kAtOnce * V::kLanes) {
      typename V::Vec v[kAtOnce];
      HONE_UNROLL
      for (size_t i = 0; i < kAtOnce; ++i) {
        v[i] = apply<V, kOp>(a.load(c + i * V::kLanes), b.load(c + i * V::kLanes));
        v[i] = V::max(low, V::min(high, v[i]));
      }
      HONE_UNROLL
      for (size_t i = 0; i < kAtOnce; ++i) V::store(y + c + i * V::kLanes, v[i]);
    }
    for (; c + V::kLanes <= p.cols; c += V::kLanes) {
      V::store(y + c, V::max(low, V::min(high, apply<V, kOp>(a.load(c), b.load(c)))));
    }
    if (const size_t n = p.cols - c; n > 0) {
      const auto v = apply<V, kOp>(a.load_first(c, n), b.load_first(c, n));
      store_first<V>(y + c, V::max(low, V::min(high, v)), n);
    }
  }
}

template <class V, BinaryOp kOp>
void binary_op(const BinaryArgs<typename V::Element>& p) {
  if (p.a.col_stride == 0) {
    return p.b.col_stride == 0 ? binary_rows<V, kOp, true, true>(p)
                               : binary_rows<V, kOp, true, false>(p);
  }
  return p.b.col_stride == 0 ? binary_rows<V, kOp, false, true>(p)
                             : binary_rows<V, kOp, false, false>(p);
}

// Whether row r + 1 goes on where row r ends.
template <class T>
bool continues(const BinaryOperand<T>& x, size_t cols) {
  return x.row_stride == cols * x.col_stride;
}

template <class V>
void binary(BinaryArgs<typename V::Element> p) {
  if (p.y_stride == p.cols && continues(p.a, p.cols) && continues(p.b, p.cols)) {
    p.cols *= p.rows;
    p.rows = 1;
  }
  switch (p.op) {
    case BinaryOp::Add:
      return binary_op<V, BinaryOp::Add>(p);
    case BinaryOp::Sub:
      return binary_op<V, BinaryOp::Sub>(p);
    case BinaryOp::Mul:
      return binary_op<V, BinaryOp::Mul>(p);
    case BinaryOp::Div:
      return binary_op<V, BinaryOp::Div>(p);
    case BinaryOp::Max:
      return binary_op<V, BinaryOp::Max>(p);
    case BinaryOp::Min:
      return binary_op<V, BinaryOp::Min>(p);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#endif  // HONE_KERNELS_BINARY_INL_H_
