#pragma once

#include <vector>

#include "hone/tensor/tensor.h"

namespace hone {

// What a program gave for several inputs, one list of outputs each.
using OutputSets = std::vector<std::vector<Item>>;

// The largest difference from what was expected, as part of the largest element of that output over
// all inputs; quantized elements count as the numbers they stand for. Infinite when a shape differs
// or a number is not finite on one side only.
double output_error(const OutputSets& actual, const OutputSets& expected);

}  // namespace hone
