// Max and average over windows of NHWC images; a window of the whole image is a global pool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hone/kernels/variant.h"
#include "hone/tensor/small_float.h"

namespace hone {

// One spatial axis. Output i covers the inputs i * stride + k * dilation - pad_begin, k < kernel;
// those outside the input do not take part.
struct PoolAxis {
  size_t in = 1;
  size_t out = 1;
  size_t kernel = 1;
  size_t stride = 1;
  size_t dilation = 1;
  size_t pad_begin = 0;
  size_t pad_end = 0;  // Read only where padding counts.
};

template <class T>
struct PoolArgs {
  bool average;    // The mean; otherwise the maximum. A NaN gives NaN.
  bool count_pad;  // The mean counts the padding, as zeros.
  PoolAxis height;
  PoolAxis width;
  size_t channels;
  const T* x;  // [images][height.in][width.in][channels]
  T* y;        // [images][height.out][width.out][channels], apart from x.
  float low;   // The output is held to [low, high]; for integer types these are integers.
  float high;
  T zero = T{};             // What 0 is stored as: the zero point, for integer types.
  size_t pixel_stride = 0;  // Elements from one pixel to the next; 0: `channels`.

  size_t pixel() const { return pixel_stride == 0 ? channels : pixel_stride; }
};

// Writes the output rows first .. last - 1, counted through all images. In a window without any
// input the mean is zero and the maximum the lowest value.
template <class T>
using Pool = void (*)(const PoolArgs<T>& args, size_t first, size_t last);

// Fastest first; ends in "ref". Maxima are exact. Means of floats: within n * 2^-24 of the mean of
// the n magnitudes, then rounded to T. Means of integers are TFLite's on every variant: the sum
// divided, ties away from zero.
template <class T>
std::span<const KernelVariant<Pool<T>>> pool_variants();
template <>
std::span<const KernelVariant<Pool<float>>> pool_variants();
template <>
std::span<const KernelVariant<Pool<Half>>> pool_variants();
template <>
std::span<const KernelVariant<Pool<int8_t>>> pool_variants();
template <>
std::span<const KernelVariant<Pool<uint8_t>>> pool_variants();

}  // namespace hone
