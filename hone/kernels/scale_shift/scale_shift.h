// A product and a sum with constants of a channel: what is left of a batch norm with known
// statistics.
#pragma once

#include <cstddef>
#include <limits>
#include <span>

#include "hone/kernels/variant.h"
#include "hone/tensor/small_float.h"

namespace hone {

// y[r][c] = clamp(x[r][c] * scale + shift). x and y are dense [rows, cols] matrices, the same one
// or disjoint, of any alignment.
template <class T>
struct ScaleShiftArgs {
  size_t rows;
  size_t cols;
  const T* x;
  // One of each for a row, or for a column: channels of nchw and of nhwc images.
  const float* scale;
  const float* shift;
  bool per_row;
  T* y;
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
};

template <class T>
using ScaleShift = void (*)(const ScaleShiftArgs<T>& args);
using ScaleShiftF32 = ScaleShift<float>;
using ScaleShiftF16 = ScaleShift<Half>;

// Fastest first; ends in "ref". NaN stays NaN. Within 2^-22 of |x * scale| + |shift|, and for f16
// 2^-11 of the result, 2^-24 absolute: arithmetic is that of floats.
std::span<const KernelVariant<ScaleShiftF32>> scale_shift_f32_variants();
std::span<const KernelVariant<ScaleShiftF16>> scale_shift_f16_variants();

}  // namespace hone
