// The arithmetic of a transposed convolution, for the element types that convolve.h takes.
//
// Input pixels are taken 16 at a time; for each tap a matrix product gives what they send to the
// output pixels under that tap, where it is added.
#pragma once

#include <vector>

#include "hone/ops/conv/geometry.h"
#include "hone/ops/matmul/product.h"

namespace hone {

// The weights of one group and tap as a matrix [output channels][input channels].
template <class T>
MatrixView<const T> tap_weights(const ConvGeometry& conv, const T* w, int64_t group, int64_t tap) {
  const int64_t outs = conv.out_channels / conv.groups;
  const int64_t ins = conv.in_channels / conv.groups;
  const int64_t taps = conv.window.taps();
  if (conv.nhwc) return {w + (group * outs * taps + tap) * ins, taps * ins, 1};
  return {w + group * ins * outs * taps + tap, taps, outs * taps};
}

// The output pixel that an input pixel reaches through a tap, or -1 when it is cut off.
inline int64_t target_pixel(const Window& window, int64_t pixel, int64_t tap) {
  int64_t target = 0;
  int64_t stride = 1;
  for (size_t i = kMostSpatialAxes; i-- > 0;) {
    const WindowAxis& axis = window.axes[i];
    const int64_t at = axis.source(pixel % axis.in, tap % axis.kernel);
    if (at < 0 || at >= axis.out) return -1;
    target += at * stride;
    stride *= axis.out;
    pixel /= axis.in;
    tap /= axis.kernel;
  }
  return target;
}

// Adds what 16 input pixels of one group send through every tap. `x` is a panel of them, `depth`
// channels deep from channel `channel` of the group on; `y` is the group's first output channel.
template <class T>
void spread_panel(const ConvGeometry& conv, const T* w, int64_t group, int64_t channel,
                  int64_t depth, const T* panel, int64_t first, int64_t columns, T* y) {
  const int64_t outs = conv.out_channels / conv.groups;
  const int64_t channel_stride = conv.nhwc ? 1 : conv.window.out_pixels();
  const int64_t pixel_stride = conv.nhwc ? conv.out_channels : 1;
  std::vector<T> sent(static_cast<size_t>(outs * kPanelColumns));
  for (int64_t tap = 0; tap < conv.window.taps(); ++tap) {
    std::fill(sent.begin(), sent.end(), T(0));
    MatrixView<const T> weights = tap_weights(conv, w, group, tap);
    weights.data += channel * weights.column_stride;
    multiply_panel<T>(weights, outs, depth, panel, {sent.data(), kPanelColumns, 1}, columns);
    for (int64_t j = 0; j < columns; ++j) {
      const int64_t target = target_pixel(conv.window, first + j, tap);
      if (target < 0) continue;
      T* to = y + target * pixel_stride;
      const T* from = sent.data() + j;
      for (int64_t o = 0; o < outs; ++o) to[o * channel_stride] += from[o * kPanelColumns];
    }
  }
}

// Adds the transposed convolution of `x` with `w` to `y`, which holds the bias or zeros.
template <class T>
void convolve_transposed(const ConvGeometry& conv, const T* x, const T* w, T* y) {
  const int64_t pixels = conv.window.in_pixels();
  const int64_t out_pixels = conv.window.out_pixels();
  const int64_t outs = conv.out_channels / conv.groups;
  const int64_t ins = conv.in_channels / conv.groups;
  if (ins == 0 || outs == 0 || out_pixels == 0) return;
  std::vector<T> panel(static_cast<size_t>(kPanelDepth * kPanelColumns));
  for (int64_t image = 0; image < conv.batch * conv.groups; ++image) {
    const int64_t n = image / conv.groups;
    const int64_t g = image % conv.groups;
    const T* from = x + n * conv.in_channels * pixels + g * ins * (conv.nhwc ? 1 : pixels);
    const MatrixView<const T> channels{from, conv.nhwc ? 1 : pixels,
                                       conv.nhwc ? conv.in_channels : 1};
    T* to = y + n * conv.out_channels * out_pixels + g * outs * (conv.nhwc ? 1 : out_pixels);
    for (int64_t first = 0; first < pixels; first += kPanelColumns) {
      const int64_t columns = std::min(kPanelColumns, pixels - first);
      for (int64_t c = 0; c < ins; c += kPanelDepth) {
        const int64_t depth = std::min(kPanelDepth, ins - c);
        pack_panel<T>({&channels.at(c, first), channels.row_stride, channels.column_stride}, depth,
                      columns, panel.data());
        spread_panel(conv, w, g, c, depth, panel.data(), first, columns, to);
      }
    }
  }
}

}  // namespace hone
