// Rows times a matrix of quantized values, as kernels.
#pragma once

#include "hone/targets/cuda/weighted_i8.h"

namespace hone::cuda {

struct ProductI8Shape {
  bool x_unsigned = false;
  int64_t rows = 0;     // m
  int64_t columns = 0;  // n
  int64_t depth = 0;    // k
  int64_t sets = 1;     // Of weights, each of a byte.
  int64_t x_pitch = 0;
  int64_t y_pitch = 0;
  int64_t finish_pitch = 0;
  std::optional<Window> window = {};  // Over images of `channels`; otherwise x is a matrix.
  int64_t channels = 0;
  int32_t x_zero = 0;
  int32_t y_zero = 0;
  IntRange range = {};
  bool scales_down = false;  // All factors have shifts below 0.

  // Bytes of a set of weights, whole pieces of 16.
  int64_t w_set() const { return (depth + 15) / 16 * 16; }
};

struct ProductI8Operands {
  Slot x = kNoSlot;
  Slot w = kNoSlot;       // [columns, sets, w_set]
  Slot finish = kNoSlot;  // [3, finish_pitch] of biases, multipliers, shifts.
  Slot y = kNoSlot;
};
std::vector<Slot> arguments_of(const ProductI8Operands& operands, const TailI8& tail);

// Likeliest first; at least one. Requires rows of x, or the channels under a tap, of whole words of
// four bytes.
std::vector<Variant> product_i8_variants(const ProductI8Shape& shape,
                                         const ProductI8Operands& operands, const TailI8& tail,
                                         const StepBuilder& builder);

}  // namespace hone::cuda
