// Winograd's convolution for 3x3 kernels with stride 1: tiles of m x m outputs from (m + 2)^2
// inputs, as one small matrix product for each of the (m + 2)^2 points. m = 2 takes 2.25 times
// fewer multiplications than the direct form, m = 4 four times; its transforms are sums of few
// terms. (Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", 2015.)
#pragma once

#include <cstddef>
#include <span>

#include "hone/kernels/variant.h"
#include "hone/tensor/small_float.h"

namespace hone {

// One image. Tiles are counted row by row; those at the right and lower border may stick out.
struct WinogradShape {
  size_t m;  // 2 or 4.
  size_t in_h, in_w;
  size_t out_h, out_w;
  size_t pad_top, pad_left;
  size_t inputs;   // Channels.
  size_t outputs;  // Channels.

  size_t points() const { return (m + 2) * (m + 2); }
  size_t tile_columns() const { return (out_w + m - 1) / m; }
  size_t tiles() const { return (out_h + m - 1) / m * tile_columns(); }
};

// How sums become outputs: y = clamp(sum + bias + residual).
template <class T>
struct WinogradFinish {
  const float* bias;  // Null: none.
  const T* residual;  // Null, or an image like y.
  float low;
  float high;
  size_t y_stride;  // Elements from one pixel of y to the next.
};

// Images of T; whatever is between the transforms is float.
template <class T>
struct WinogradKernel {
  // v[point][tile - first][channel] of the tiles first .. last - 1 from x[in_h][in_w][inputs].
  void (*input)(const WinogradShape& shape, size_t first, size_t last, const T* x, float* v);
  // y[out_h][out_w][outputs], its pixels as far apart as `finish` says, at the tiles from products[point][tile - first][channel].
  void (*output)(const WinogradShape& shape, size_t first, size_t last, const float* products,
                 const WinogradFinish<T>& finish, T* y);
};

using WinogradF32 = WinogradKernel<float>;
using WinogradF16 = WinogradKernel<Half>;

// Fastest first; ends in "ref". Against the direct form in double the error is at most 1e-5 (m = 4)
// or 1e-6 (m = 2) of the largest sum of magnitudes.
std::span<const KernelVariant<WinogradF32>> winograd_f32_variants();
std::span<const KernelVariant<WinogradF16>> winograd_f16_variants();

// u[point][output][input] from w[output][3][3][input]; done once.
void winograd_weights(const WinogradShape& shape, const float* w, float* u);

}  // namespace hone
