#pragma once

#include "hone/tensor/fixed_point.h"
#include "hone/tensor/tensor.h"

namespace hone {

// How the ratio of two scales is rounded before it becomes a factor: QUANTIZE divides in double
// precision, the RELU family in single.
enum class ScaleRatio { Double, Float };

// The values of `from` in the type `to`: of its element type, and with its quantization if it has
// one. Requires one of the two to be quantized, f32 being the type of plain values.
Tensor requantized(const Tensor& from, TensorType to, Rounding rounding,
                   ScaleRatio ratio = ScaleRatio::Double);

}  // namespace hone
