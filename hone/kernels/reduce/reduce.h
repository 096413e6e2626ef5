#pragma once

#include <cstddef>
#include <span>

#include "hone/kernels/variant.h"
#include "hone/tensor/small_float.h"

namespace hone {

enum class ReduceOp { Sum, Mean, Max, Min };

// y[o][i] = the fold over k < n of x[o][k][i], where x[o][k][i] is
// x[o * outer_stride + k * stride + i] and y[o][i] is y[o * y_stride + i]. Strides let a caller
// take a range of `inner`. A global average pool of NHWC has outer = images, n = pixels, inner =
// channels. y is apart from x; n at least 1. A NaN gives NaN.
template <class T>
struct ReduceArgs {
  ReduceOp op;
  size_t outer;
  size_t n;
  size_t inner;
  const T* x;
  size_t outer_stride;
  size_t stride;
  T* y;
  size_t y_stride;
};

template <class T>
using Reduce = void (*)(const ReduceArgs<T>& args);

// Fastest first; ends in "ref". Max and Min exact; sums in floats for both types: within n * 2^-24
// of the sum of magnitudes, then rounded to T.
std::span<const KernelVariant<Reduce<float>>> reduce_f32_variants();
std::span<const KernelVariant<Reduce<Half>>> reduce_f16_variants();

}  // namespace hone
