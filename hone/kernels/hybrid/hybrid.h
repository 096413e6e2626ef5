// What surrounds the integer product of a hybrid layer (float activations, int8 weights): the range
// of the activations, the activations as bytes, and the sums as floats again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hone/kernels/variant.h"

namespace hone {

struct HybridSteps {
  float inverse;       // Of the scale.
  int32_t zero_point;  // Within int8.
  float low;           // Of the bytes: a whole number within int8.
};

// Of the columns of one row: y = sum less zero_point * weight_sum, as float, times (row_scale *
// weight_scale), plus bias.
struct HybridScales {
  float row_scale;
  int32_t zero_point;
  const int32_t* weight_sums;  // [n]
  const float* weight_scales;  // [n]
  const float* bias;           // [n]; -0 where there is none.
};

struct HybridKernel {
  // The least and the largest of 0 and x[i] for i < n; NaN does not count.
  void (*range)(size_t n, const float* x, float* low, float* high);
  // y[i] = round(zero_point + x[i] * inverse), halves away from zero, within [low, 127]; NaN
  // gives 0.
  void (*to_bytes)(const HybridSteps& steps, size_t n, const float* x, int8_t* y);
  // The same less the zero point.
  void (*to_whole_floats)(const HybridSteps& steps, size_t n, const float* x, float* y);
  // Differences wrap at 32 bits. y may start where sums does.
  void (*scale)(const HybridScales& scales, size_t n, const int32_t* sums, float* y);
  // The same of sums that are whole numbers, without zero point and weight_sums.
  void (*scale_whole_floats)(const HybridScales& scales, size_t n, const float* sums, float* y);
};

// Fastest first; ends in "ref". All variants give the same bits.
std::span<const KernelVariant<HybridKernel>> hybrid_variants();

}  // namespace hone
