// Walks two operands of bytes and their output block by block, for add_i8 and mul_i8.

// The guard turns over with every instruction set, see hwy/foreach_target.h.
#if defined(HONE_KERNELS_BINARY_BYTES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HONE_KERNELS_BINARY_BYTES_INL_H_
#undef HONE_KERNELS_BINARY_BYTES_INL_H_
#else
#define HONE_KERNELS_BINARY_BYTES_INL_H_
#endif

#include <algorithm>
#include <cstring>

#include "hone/kernels/binary/binary.h"
#include "hone/tensor/fixed_point.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {
namespace {

// Op has kLanes, a type Block, blocks left(const T*) and right(const T*) of its operands, and
// store(T*, left, right). It is a copy, which writing to y cannot change.
template <class Op, bool kOneA, bool kOneB, class T>
void walk_bytes(const Op op, size_t rows, size_t cols, const BinaryOperand<T>& a,
                const BinaryOperand<T>& b, T* y, size_t y_stride) {
  constexpr size_t kLanes = Op::kLanes;
  for (size_t r = 0; r < rows; ++r, y += y_stride) {
    const T* row_a = a.data + r * a.row_stride;
    const T* row_b = b.data + r * b.row_stride;
    T buffer_a[kLanes] = {}, buffer_b[kLanes] = {}, buffer_y[kLanes];
    if constexpr (kOneA) std::memset(buffer_a, static_cast<uint8_t>(*row_a), kLanes);
    if constexpr (kOneB) std::memset(buffer_b, static_cast<uint8_t>(*row_b), kLanes);
    const typename Op::Block one_a = op.left(buffer_a);
    const typename Op::Block one_b = op.right(buffer_b);
    size_t c = 0;
    for (; c + kLanes <= cols; c += kLanes) {
      op.store(y + c, kOneA ? one_a : op.left(row_a + c), kOneB ? one_b : op.right(row_b + c));
    }
    if (const size_t n = cols - c; n > 0) {
      if constexpr (!kOneA) std::memcpy(buffer_a, row_a + c, n);
      if constexpr (!kOneB) std::memcpy(buffer_b, row_b + c, n);
      op.store(buffer_y, op.left(buffer_a), op.right(buffer_b));
      std::memcpy(y + c, buffer_y, n);
    }
  }
}

// As one long row where operands and output go on from row to row.
template <class Op, class Args>
void walk_operands(const Op& op, const Args& p) {
  size_t rows = p.rows, cols = p.cols;
  if (p.a.row_stride == cols * p.a.col_stride && p.b.row_stride == cols * p.b.col_stride &&
      p.y_stride == cols) {
    cols *= rows;
    rows = 1;
  }
  if (p.a.col_stride == 0 && p.b.col_stride == 0) {
    return walk_bytes<Op, true, true>(op, rows, cols, p.a, p.b, p.y, p.y_stride);
  }
  if (p.a.col_stride == 0)
    return walk_bytes<Op, true, false>(op, rows, cols, p.a, p.b, p.y, p.y_stride);
  if (p.b.col_stride == 0)
    return walk_bytes<Op, false, true>(op, rows, cols, p.a, p.b, p.y, p.y_stride);
  return walk_bytes<Op, false, false>(op, rows, cols, p.a, p.b, p.y, p.y_stride);
}

// Bytes: NeonBytes or HwyBytes; Scale: NeonScale or HwyScale; Op<Bytes, Scale, T> is made from the
// arguments, which have rows, cols, a, b, y and rounding.
template <template <class, class, class> class Op, template <class> class Bytes,
          template <Rounding> class Scale, template <class> class Args, class T>
void binary_bytes(const Args<T>& p) {
  switch (p.rounding) {
    case Rounding::Double:
      return walk_operands(Op<Bytes<T>, Scale<Rounding::Double>, T>(p), p);
    case Rounding::Single:
      return walk_operands(Op<Bytes<T>, Scale<Rounding::Single>, T>(p), p);
    case Rounding::DoubleUpward:
      return walk_operands(Op<Bytes<T>, Scale<Rounding::DoubleUpward>, T>(p), p);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#endif  // HONE_KERNELS_BINARY_BYTES_INL_H_
