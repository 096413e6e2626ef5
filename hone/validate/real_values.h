#pragma once

#include <vector>

#include "hone/tensor/tensor.h"

namespace hone {

// What a tensor of numbers means: (stored - zero point) * scale where it is quantized, per tensor
// or along an axis, and the elements themselves where it is not.
std::vector<double> real_values(const Tensor& tensor);

}  // namespace hone
