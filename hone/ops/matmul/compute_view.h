// Short floats are computed in float: these turn a tensor's elements into what is computed with and
// back, without a copy when that is the element type itself.
#pragma once

#include <type_traits>
#include <vector>

#include "hone/tensor/dispatch.h"

namespace hone {

template <class T>
class ComputeInput {
 public:
  explicit ComputeInput(const Tensor& tensor) {
    const std::span<const T> elements = tensor.data<T>();
    if constexpr (std::is_same_v<T, Compute<T>>) {
      data_ = elements.data();
    } else {
      copy_.assign(elements.begin(), elements.end());
      data_ = copy_.data();
    }
  }
  const Compute<T>* data() const { return data_; }
  ComputeInput(const ComputeInput&) = delete;
  ComputeInput& operator=(const ComputeInput&) = delete;

 private:
  std::vector<Compute<T>> copy_;
  const Compute<T>* data_;
};

// Zeros at first; the elements are in the tensor after store().
template <class T>
class ComputeOutput {
 public:
  explicit ComputeOutput(Tensor& tensor) : elements_(tensor.mutable_data<T>()) {
    if constexpr (!std::is_same_v<T, Compute<T>>) copy_.resize(elements_.size());
  }
  Compute<T>* data() {
    if constexpr (std::is_same_v<T, Compute<T>>) {
      return elements_.data();
    } else {
      return copy_.data();
    }
  }
  // Adds the elements of a tensor of as many.
  void add(const Tensor& tensor) {
    const ComputeInput<T> other(tensor);
    for (size_t i = 0; i < elements_.size(); ++i) data()[i] += other.data()[i];
  }
  void store() {
    if constexpr (!std::is_same_v<T, Compute<T>>) {
      for (size_t i = 0; i < copy_.size(); ++i) elements_[i] = T(copy_[i]);
    }
  }

 private:
  std::span<T> elements_;
  std::vector<Compute<T>> copy_;
};

}  // namespace hone
