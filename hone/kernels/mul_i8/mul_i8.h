// TFLite's multiplication of quantized bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "hone/kernels/binary/binary.h"
#include "hone/kernels/variant.h"
#include "hone/tensor/fixed_point.h"

namespace hone {

// What each byte b makes of bytes a, as lines: y = clamp(((a * slope + offset) >> shift) + y_zero),
// computed in 32 bits. Slopes are below 2^23 in magnitude, and nothing overflows in the end, though it
// may on the way.
struct MulI8Lines {
  std::array<int32_t, 256> slopes;   // By the bits of b.
  std::array<int32_t, 256> offsets;  // Likewise.
  int shift;
};

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
  // What mul_i8_lines gives for all of the above but places and sizes: several times as fast where
  // all rows share those of b.
  std::shared_ptr<const MulI8Lines> lines = {};

  // Whether to go by lines: finding those of the columns takes as long as some rows of products.
  bool has_lines() const {
    constexpr size_t kLeastRows = 8;
    return lines != nullptr && rows >= kLeastRows && a.col_stride == 1 && b.col_stride == 1 &&
           b.row_stride == 0;
  }
};

template <class T>
using MulI8 = void (*)(const MulI8Args<T>& args);

// The lines that give these bits for every pair of bytes; null if some byte has none, as with
// Rounding::Double, whose ties go away from zero, where negative results are not cut off.
template <class T>
std::shared_ptr<const MulI8Lines> mul_i8_lines(const MulI8Args<T>& args);

// Fastest first; ends in "ref". All variants give the same bits.
std::span<const KernelVariant<MulI8<int8_t>>> mul_i8_variants();
std::span<const KernelVariant<MulI8<uint8_t>>> mul_u8_variants();

}  // namespace hone
