#pragma once

#include "hone/ops/quant/quant_testing.h"

namespace hone {

// Values between -1.25 and 1.25; another seed gives others.
inline Tensor floats_of_seed(Shape shape, size_t seed) {
  const auto count = static_cast<size_t>(elements(shape));
  std::vector<float> values = some_values<float>(count + seed, -10, 10);
  values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(seed));
  for (float& value : values) value /= 8;
  return Tensor::of<float>(std::move(shape), values);
}

inline double number_at(const Tensor& tensor, size_t i) {
  return double{tensor.data<float>()[i]};
}

}  // namespace hone
