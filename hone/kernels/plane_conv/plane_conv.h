// A convolution from planes (nchw) to pixels (nhwc): the first layer of a network that gets its
// image in planes. Neighbouring pixels read neighbouring elements of a plane, so that a tile needs
// one pointer for all its rows, and neither transposing the image nor gathering rows is needed.
#pragma once

#include <cstddef>
#include <span>

#include "hone/kernels/gemm/gemm.h"
#include "hone/kernels/variant.h"

namespace hone {

// A row of the output:
//   y[p][n] = clamp(bias[n] + sum over lines l and taps t of x[l][p * stride + t] * w[l][t][n])
// for pixels p and columns n. A line is a row of a plane that lies under a row of the kernel.
struct PlaneConvRow {
  size_t pixels;          // At least 1.
  size_t columns;         // At least 1.
  size_t lines;           // At least 1.
  size_t taps;            // Of each line, side by side; at least 1.
  size_t stride;          // 1 or 2.
  const float* const* x;  // [lines]: (pixels - 1) * stride + taps elements each.
  const float* panels;    // The weights as gemm_pack leaves them, k being [lines][taps].
  float* y;               // Pixels one behind the other.
  float low;
  float high;
};

struct PlaneConv {
  size_t nr;    // Columns of a panel;
  size_t step;  // the last one has a multiple of these.
  void (*run)(const PlaneConvRow& row);

  // For gemm_pack and the sizes it goes by.
  GemmF32 layout() const { return {.mr = 1, .nr = nr, .step = step, .run = nullptr}; }
};

// Fastest first; ends in "ref". Sums are taken in the order of lines and taps; against sums in
// double, the error is at most k * 2^-24 of the sum of magnitudes.
std::span<const KernelVariant<PlaneConv>> plane_conv_variants();

}  // namespace hone
