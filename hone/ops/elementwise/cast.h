#pragma once

#include "hone/tensor/tensor.h"

namespace hone {

// The tensor with its elements converted to `dtype`:
//   float to integer  cut towards zero and limited to the range, NaN to 0; to 4 bits rounded
//   integer to integer  the low bits
//   to float8  out of range: the largest value when `saturate`, else infinity or NaN
//   to string  the shortest decimal that reads back as the same value, as Python prints it
// Unsupported where ONNX does not say what a conversion means.
Result<Tensor> cast_to(const Tensor& from, DType dtype, bool saturate);

}  // namespace hone
