// Integers less their zero points, for the products of ONNX's integer operators. Unsigned, so that
// int32 sums wrap instead of being undefined.
#pragma once

#include <vector>

#include "hone/tensor/tensor.h"

namespace hone {

// `zero_points`, of shape `shape`, must broadcast to x. Null: none.
std::vector<uint32_t> centered(const Tensor& x, const Tensor* zero_points, const Shape& shape);

}  // namespace hone
