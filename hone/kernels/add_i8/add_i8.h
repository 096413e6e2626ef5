// TFLite's addition and subtraction of quantized bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "hone/kernels/binary/binary.h"
#include "hone/kernels/variant.h"
#include "hone/tensor/fixed_point.h"

namespace hone {

// The bits that operands are shifted up by before they are scaled.
inline constexpr int kAddI8Headroom = 20;

// A sum as a linear form: y = clamp(((a * a_slope + b * b_slope + offset) >> shift) + zero), computed
// in 32 bits. Slopes are below 2^23 in magnitude. Nothing overflows in the end, though it may on the way.
struct AddI8Line {
  int32_t a_slope;
  int32_t b_slope;
  int32_t offset;
  int shift;
  int32_t zero;
};

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
  // What add_i8_line gives for all of the above but places and sizes; several times as fast.
  std::optional<AddI8Line> line = {};
};

template <class T>
using AddI8 = void (*)(const AddI8Args<T>& args);

// The line that gives these bits for every pair of bytes, if there is one: all pairs are tried, which
// takes about a millisecond. There hardly ever is none, but where results lie halfway between bytes.
template <class T>
std::optional<AddI8Line> add_i8_line(const AddI8Args<T>& args);

// Fastest first; ends in "ref". All variants give the same bits.
std::span<const KernelVariant<AddI8<int8_t>>> add_i8_variants();
std::span<const KernelVariant<AddI8<uint8_t>>> add_u8_variants();

}  // namespace hone
