// What the steps of depthwise convolutions share: the kernels' view of the geometry, and their order
// of weights.
#pragma once

#include <cstddef>
#include <vector>

#include "hone/kernels/depthwise/depthwise.h"
#include "hone/ops/conv/geometry.h"
#include "hone/targets/cpu/row_step.h"

namespace hone::cpu {

inline DepthwiseShape depthwise_shape(const ConvGeometry& conv) {
  const auto size = [](int64_t x) { return static_cast<size_t>(x); };
  const WindowAxis& height = conv.window.axes[1];
  const WindowAxis& width = conv.window.axes[2];
  return {.in_h = size(height.in),
          .in_w = size(width.in),
          .out_h = size(height.out),
          .out_w = size(width.out),
          .channels = size(conv.in_channels),
          .kernel_h = size(height.kernel),
          .kernel_w = size(width.kernel),
          .stride_h = size(height.stride),
          .stride_w = size(width.stride),
          .dilation_h = size(height.dilation),
          .dilation_w = size(width.dilation),
          .pad_top = size(height.pad_begin),
          .pad_left = size(width.pad_begin)};
}

inline RowShape depthwise_row_shape(const ConvGeometry& conv, size_t element_bytes) {
  const auto row_bytes = [&](int64_t pixels) {
    return static_cast<size_t>(pixels * conv.in_channels) * element_bytes;
  };
  return {.images = static_cast<size_t>(conv.batch),
          .height = conv.window.axes[1],
          .in_row_bytes = row_bytes(conv.window.axes[2].in),
          .out_row_bytes = row_bytes(conv.window.axes[2].out)};
}

// [copies][taps][channels] from [channels][copies][taps].
template <class T>
std::vector<T> by_tap(const T* weights, const DepthwiseShape& shape) {
  const size_t taps = shape.copies * shape.kernel_h * shape.kernel_w;
  std::vector<T> result(taps * shape.channels);
  for (size_t c = 0; c < shape.channels; ++c) {
    for (size_t t = 0; t < taps; ++t) result[t * shape.channels + c] = weights[c * taps + t];
  }
  return result;
}

}  // namespace hone::cpu
