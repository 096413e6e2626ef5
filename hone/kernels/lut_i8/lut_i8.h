// Functions of one byte by table: activations of quantized values, and changes of quantization.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hone/kernels/variant.h"
#include "hone/tensor/fixed_point.h"

namespace hone {

// y[i] = table[x[i]] for i < n, with the byte taken as unsigned: for int8 the entries of -128 .. -1
// come after those of 0 .. 127. y is x or apart from it. 256 entries.
using LutI8 = void (*)(size_t n, const uint8_t* table, const uint8_t* x, uint8_t* y);

// Fastest first; ends in "ref".
std::span<const KernelVariant<LutI8>> lut_i8_variants();

// From one quantization to another, as TFLite's QUANTIZE of integers:
//   clamp(scale_by(x - x_zero, factor, rounding) + y_zero, low, high)
struct RequantizeI8 {
  bool x_signed;  // The type of x: int8, otherwise uint8.
  int32_t x_zero;
  FixedPoint factor;
  Rounding rounding;
  int32_t y_zero;
  int32_t low;  // Within the type of y.
  int32_t high;
};
void requantize_i8_table(const RequantizeI8& args, uint8_t (&table)[256]);

}  // namespace hone
