// Arithmetic on two operands with the broadcasts that a flattened view can express.
#pragma once

#include <cstddef>
#include <limits>
#include <span>

#include "hone/kernels/variant.h"
#include "hone/tensor/small_float.h"

namespace hone {

enum class BinaryOp { Add, Sub, Mul, Div, Max, Min };

// One operand: element (r, c) is data[r * row_stride + c * col_stride], col_stride 0 or 1.
//   same shape as y           {data, cols, 1}
//   one value per column      {data, 0, 1}     per channel of NHWC, squeeze-excite scales
//   one value per row         {data, 1, 0}
//   one value                 {data, 0, 0}
template <class T>
struct BinaryOperand {
  const T* data;
  size_t row_stride;
  size_t col_stride;
};

// y[r][c] = clamp(a[r][c] op b[r][c]). y may be the data of an operand of the same shape.
// Max and Min of a NaN are NaN.
template <class T>
struct BinaryArgs {
  BinaryOp op;
  size_t rows;
  size_t cols;
  BinaryOperand<T> a;
  BinaryOperand<T> b;
  T* y;
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
  size_t y_stride = cols;  // Elements from one row of y to the next.
};

template <class T>
using Binary = void (*)(const BinaryArgs<T>& args);
using BinaryF32 = Binary<float>;
using BinaryF16 = Binary<Half>;

// Fastest first; ends in "ref". All variants give the same bits: one rounding per operation. `low`
// and `high` are rounded to T.
std::span<const KernelVariant<BinaryF32>> binary_f32_variants();
std::span<const KernelVariant<BinaryF16>> binary_f16_variants();

}  // namespace hone
