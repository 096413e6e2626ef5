#pragma once

#include <vector>

#include "hone/tensor/tensor.h"

namespace hone::cpu {

// Some elements of a tensor of T, float or Half.
template <class T>
std::vector<float> floats_of(const Tensor& tensor, size_t first, size_t count) {
  const auto part = tensor.data<T>().subspan(first, count);
  return {part.begin(), part.end()};
}

}  // namespace hone::cpu
