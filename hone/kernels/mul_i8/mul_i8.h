// TFLite's multiplication of quantized bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hone/kernels/binary/binary.h"
#include "hone/kernels/variant.h"
#include "hone/tensor/fixed_point.h"

namespace hone {

// y = clamp(scale_by((a - a_zero) * (b - b_zero), factor, rounding) + y_zero). y may be the data of
// an operand of the same shape and stride.
template <class T>
struct MulI8Args {
  size_t rows;
  size_t cols;
  BinaryOperand<T> a;
  BinaryOperand<T> b;
  T* y;
  size_t y_stride;  // From row to row.
  int32_t a_zero;
  int32_t b_zero;
  int32_t y_zero;
  FixedPoint factor;
  Rounding rounding;
  int32_t low;
  int32_t high;
};

template <class T>
using MulI8 = void (*)(const MulI8Args<T>& args);

// Fastest first; ends in "ref". All variants give the same bits.
std::span<const KernelVariant<MulI8<int8_t>>> mul_i8_variants();
std::span<const KernelVariant<MulI8<uint8_t>>> mul_u8_variants();

}  // namespace hone
