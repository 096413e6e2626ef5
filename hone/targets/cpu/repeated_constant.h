// Constants that broadcast in short pieces, such as a bias per anchor of a detector's head: repeated
// once, until kernels find long runs in them.
#pragma once

#include <optional>
#include <vector>

#include "hone/tensor/tensor.h"

namespace hone::cpu {

// The shape to repeat a constant of `shape` to, which with `other` is broadcast to `y`; nothing where
// it is good as it is, or would take too much memory.
std::optional<Shape> repeated_shape(const Shape& shape, const Shape& other, const Shape& y);

// `from[i]` is the element of a constant of shape `shape` that element i of it, repeated to `to`, is.
std::vector<size_t> repeated_elements(const Shape& shape, const Shape& to);

template <class T>
std::vector<T> repeated_constant(const Tensor& constant, const Shape& to) {
  std::vector<T> elements;
  for (const size_t from : repeated_elements(constant.shape(), to)) {
    elements.push_back(constant.data<T>()[from]);
  }
  return elements;
}

}  // namespace hone::cpu
