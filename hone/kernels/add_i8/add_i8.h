// TFLite's addition and subtraction of quantized bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hone/kernels/binary/binary.h"
#include "hone/kernels/variant.h"
#include "hone/tensor/fixed_point.h"

namespace hone {

// The bits that operands are shifted up by before they are scaled.
inline constexpr int kAddI8Headroom = 20;

// With [x] = scale_by(x, factor, rounding):
//   left = [(a - a_zero) * 2^20] by a_factor      right: the same of b
//   y = clamp([left + right, or left - right] by y_factor + y_zero)
// y may be the data of an operand of the same shape and stride. Factors are below 1, as TFLite has
// them, so nothing overflows.
template <class T>
struct AddI8Args {
  size_t rows;
  size_t cols;
  BinaryOperand<T> a;
  BinaryOperand<T> b;
  T* y;
  size_t y_stride;  // From row to row.
  bool subtract;
  int32_t a_zero;
  int32_t b_zero;
  int32_t y_zero;
  FixedPoint a_factor;
  FixedPoint b_factor;
  FixedPoint y_factor;
  Rounding rounding;
  int32_t low;
  int32_t high;
};

template <class T>
using AddI8 = void (*)(const AddI8Args<T>& args);

// Fastest first; ends in "ref". All variants give the same bits.
std::span<const KernelVariant<AddI8<int8_t>>> add_i8_variants();
std::span<const KernelVariant<AddI8<uint8_t>>> add_u8_variants();

}  // namespace hone
