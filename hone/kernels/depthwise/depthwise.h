// Depthwise convolution of one image in NHWC: every channel has a filter of its own.
//
// Weights are packed once, into a layout that belongs to the variant, so a variant is a struct of
// functions. The packed buffer also holds the bias and whatever stands for padded pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hone/kernels/activate/activate.h"
#include "hone/kernels/requantize.h"
#include "hone/kernels/variant.h"
#include "hone/tensor/small_float.h"

namespace hone {

// All at least 1, but for the padding. Output (oy, ox) covers the input pixels
//   (oy * stride_h + ky * dilation_h - pad_top, ox * stride_w + kx * dilation_w - pad_left);
// those outside the image count as zero (integers: as the zero point), so padding at the bottom and
// on the right follows from out_h and out_w.
struct DepthwiseShape {
  size_t in_h, in_w;
  size_t out_h, out_w;
  size_t channels;
  size_t kernel_h, kernel_w;
  size_t stride_h, stride_w;
  size_t dilation_h, dilation_w;
  size_t pad_top, pad_left;
  // Of integers: sets of weights that add up, where one of 8 bits is not enough.
  size_t copies = 1;
};

// T is float, or Half with arithmetic in half precision where the CPU has it.
//   weights  [kernel_h][kernel_w][channels]
//   bias     [channels], or null for none
//   packed   packed_bytes(shape) bytes, aligned to 64; the shape of `run` must be that of `pack`
//   x, y     [in_h][in_w][channels] and [out_h][out_w][channels], disjoint, aligned to T
//   activate one of activate_f32_variants() or its relatives, or null where `activation` clamps
// `run` computes the output rows [row_begin, row_end). It clamps them, or hands them to `activate`
// while they are in the cache. Threads may share everything but rows. With e = 2^-24 (float) or
// 2^-11 (Half), what is clamped or handed on differs from the exact sum by at most
// e * (taps + 2) * (|bias| + sum of |x * w|).
template <class T>
struct DepthwiseFloat {
  size_t (*packed_bytes)(const DepthwiseShape& shape);
  void (*pack)(const DepthwiseShape& shape, const T* weights, const T* bias, void* packed);
  void (*run)(const DepthwiseShape& shape, size_t row_begin, size_t row_end, const T* x,
              const void* packed, const Activation& activation, Activate<T> activate, T* y);
};
using DepthwiseF32 = DepthwiseFloat<float>;
using DepthwiseF16 = DepthwiseFloat<Half>;

// T is int8_t or uint8_t. As above, but:
//   weights         [copies][kernel_h][kernel_w][channels], zero point 0
//   x_zero_point    of x, in the range of T
//   requantization  shifts in [-31, 31]; zero point, low and high in the range of T
//   scratch         scratch_bytes(shape) bytes, aligned to 64, one buffer per thread
// y = requantized(bias + sum of (x - x_zero_point) * w); sums wrap around at 32 bits. All variants
// give the same bits.
template <class T>
struct DepthwiseInteger {
  size_t (*packed_bytes)(const DepthwiseShape& shape);
  void (*pack)(const DepthwiseShape& shape, const int8_t* weights, const int32_t* bias,
               int32_t x_zero_point, const Requantization& requantization, void* packed);
  size_t (*scratch_bytes)(const DepthwiseShape& shape);
  void (*run)(const DepthwiseShape& shape, size_t row_begin, size_t row_end, const T* x,
              const void* packed, T* y, void* scratch);
};
using DepthwiseI8 = DepthwiseInteger<int8_t>;
using DepthwiseU8 = DepthwiseInteger<uint8_t>;

// Fastest first; each ends in "ref".
std::span<const KernelVariant<DepthwiseF32>> depthwise_f32_variants();
std::span<const KernelVariant<DepthwiseF16>> depthwise_f16_variants();
std::span<const KernelVariant<DepthwiseI8>> depthwise_i8_variants();
std::span<const KernelVariant<DepthwiseU8>> depthwise_u8_variants();

}  // namespace hone
