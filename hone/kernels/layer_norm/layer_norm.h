#pragma once

#include <cstddef>
#include <span>

#include "hone/kernels/variant.h"
#include "hone/tensor/small_float.h"

namespace hone {

// Each row of a dense [rows, cols] matrix brought to mean 0 and variance 1, then scaled:
//   y = (x - mean) / sqrt(variance + epsilon) * scale[c] + bias[c]
// or, with `rms`, y = x / sqrt(mean of x^2 + epsilon) * scale[c] + bias[c]. y is x or apart from
// it.
template <class T>
struct LayerNormArgs {
  size_t rows;
  size_t cols;
  const T* x;
  const T* scale;  // cols values, or null for ones.
  const T* bias;   // cols values, or null for zeros.
  float epsilon;
  bool rms;
  T* y;
};

template <class T>
using LayerNorm = void (*)(const LayerNormArgs<T>& args);

// Fastest first; ends in "ref". Computed in floats for both types: within 1e-5 * (|y| + |scale|)
// where the mean is not much larger than the deviation, then rounded to T.
std::span<const KernelVariant<LayerNorm<float>>> layer_norm_f32_variants();
std::span<const KernelVariant<LayerNorm<Half>>> layer_norm_f16_variants();

}  // namespace hone
