#pragma once

#include "hone/tensor/tensor.h"

namespace hone {

// How the outputs of a set agree with outputs that were stored.
struct ExpectedOutputs {
  int64_t samples = 0;
  int64_t equal = 0;     // Samples whose every element is the same.
  double max_error = 0;  // Relative to the largest magnitude of the expected tensor.
  bool within = false;   // The tolerance; equal everywhere for integers.
};

// BadInput when the elements' type or number differ.
Result<ExpectedOutputs> compare_outputs(const Tensor& outputs, const Tensor& expected, double rtol);

}  // namespace hone
