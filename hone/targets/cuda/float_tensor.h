// Constants of the types that kernels compute with.
#pragma once

#include <vector>

#include "hone/tensor/dispatch.h"
#include "hone/tensor/tensor.h"

namespace hone::cuda {

// Of a floating-point type, each rounded to it.
inline Tensor floats_of(DType dtype, const Shape& shape, const std::vector<float>& values) {
  Tensor tensor(TensorType{dtype, shape});
  dispatch_float(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto to = tensor.mutable_data<T>();
    for (size_t i = 0; i < to.size(); ++i) to[i] = T(values[i]);
  });
  return tensor;
}

}  // namespace hone::cuda
