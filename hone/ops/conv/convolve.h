// The arithmetic of a convolution, for element types that add and multiply without undefined
// behaviour: float, double, and the unsigned integers (whose sums wrap as int32 and int64 do).
//
// Output pixels are taken 16 at a time: what their windows cover is gathered into a panel (one row
// per tap and input channel, zero for padding), which all weights of the group then multiply.
#pragma once

#include <vector>

#include "hone/ops/conv/depthwise.h"
#include "hone/ops/conv/geometry.h"
#include "hone/ops/matmul/product.h"

namespace hone {

// Where in an image each tap of each pixel of a panel lies: offset of the pixel's first channel, or
// kPadding.
class PanelOffsets {
 public:
  static constexpr int64_t kPadding = -1;

  PanelOffsets(const Window& window, int64_t pixel_stride)
      : window_(window),
        pixel_stride_(pixel_stride),
        offsets_(static_cast<size_t>(window.taps() * kPanelColumns)) {}

  // For the output pixels from `first` on, `count` of them.
  void move_to(int64_t first, int64_t count) {
    for (int64_t j = 0; j < kPanelColumns; ++j) {
      if (j < count) {
        place(first + j, j);
      } else {
        for (int64_t tap = 0; tap < window_.taps(); ++tap) at(tap)[j] = kPadding;
      }
    }
  }
  const int64_t* of_tap(int64_t tap) const {
    return &offsets_[static_cast<size_t>(tap * kPanelColumns)];
  }

 private:
  int64_t* at(int64_t tap) { return &offsets_[static_cast<size_t>(tap * kPanelColumns)]; }

  void place(int64_t pixel, int64_t column) {
    const auto& [depth, height, width] = window_.axes;
    const int64_t x = pixel % width.out;
    const int64_t y = pixel / width.out % height.out;
    const int64_t z = pixel / width.out / height.out;
    int64_t tap = 0;
    for (int64_t a = 0; a < depth.kernel; ++a) {
      for (int64_t b = 0; b < height.kernel; ++b) {
        for (int64_t c = 0; c < width.kernel; ++c) {
          const int64_t in_z = depth.source(z, a);
          const int64_t in_y = height.source(y, b);
          const int64_t in_x = width.source(x, c);
          const bool inside = in_z >= 0 && in_z < depth.in && in_y >= 0 && in_y < height.in &&
                              in_x >= 0 && in_x < width.in;
          const int64_t at_pixel = (in_z * height.in + in_y) * width.in + in_x;
          at(tap++)[column] = inside ? at_pixel * pixel_stride_ : kPadding;
        }
      }
    }
  }

  const Window& window_;
  int64_t pixel_stride_;
  std::vector<int64_t> offsets_;
};

// Rows first .. first + count - 1 of a panel. Rows are ordered as the weights are: channel by
// channel in nchw, tap by tap in nhwc. `x` is the group's first channel.
template <class T>
void gather_panel(const ConvGeometry& conv, const PanelOffsets& offsets, const T* x, int64_t first,
                  int64_t count, T* panel) {
  const int64_t channels = conv.in_channels / conv.groups;
  const int64_t taps = conv.window.taps();
  const int64_t channel_stride = conv.nhwc ? 1 : conv.window.in_pixels();
  int64_t channel = conv.nhwc ? first % channels : first / taps;
  int64_t tap = conv.nhwc ? first / channels : first % taps;
  for (int64_t k = 0; k < count; ++k) {
    const int64_t* offset = offsets.of_tap(tap);
    const T* from = x + channel * channel_stride;
    for (int64_t j = 0; j < kPanelColumns; ++j) {
      panel[j] = offset[j] == PanelOffsets::kPadding ? T(0) : from[offset[j]];
    }
    int64_t& inner = conv.nhwc ? channel : tap;
    if (++inner == (conv.nhwc ? channels : taps)) {
      inner = 0;
      ++(conv.nhwc ? tap : channel);
    }
    panel += kPanelColumns;
  }
}

// Adds the convolution of `x` with `w` to `y`, which holds the bias or zeros.
template <class T>
void convolve(const ConvGeometry& conv, const T* x, const T* w, T* y) {
  const Window& window = conv.window;
  const int64_t pixels = window.out_pixels();
  const int64_t outs = conv.out_channels / conv.groups;
  const int64_t ins = conv.in_channels / conv.groups;
  const int64_t depth = ins * window.taps();
  if (depth == 0 || outs == 0) return;
  if (conv.in_channels == conv.groups && conv.groups > 1) return convolve_depthwise(conv, x, w, y);
  PanelOffsets offsets(window, conv.nhwc ? conv.in_channels : 1);
  std::vector<T> panel(static_cast<size_t>(kPanelDepth * kPanelColumns));
  for (int64_t first = 0; first < pixels; first += kPanelColumns) {
    const int64_t columns = std::min(kPanelColumns, pixels - first);
    offsets.move_to(first, columns);
    for (int64_t image = 0; image < conv.batch * conv.groups; ++image) {
      const int64_t n = image / conv.groups;
      const int64_t g = image % conv.groups;
      const T* from = x + n * conv.in_channels * window.in_pixels() +
                      g * ins * (conv.nhwc ? 1 : window.in_pixels());
      T* to = y + n * conv.out_channels * pixels + g * outs * (conv.nhwc ? 1 : pixels) +
              first * (conv.nhwc ? conv.out_channels : 1);
      const MatrixView<T> c{to, conv.nhwc ? 1 : pixels, conv.nhwc ? conv.out_channels : 1};
      for (int64_t k = 0; k < depth; k += kPanelDepth) {
        const int64_t rows = std::min(kPanelDepth, depth - k);
        gather_panel(conv, offsets, from, k, rows, panel.data());
        multiply_panel<T>({w + g * outs * depth + k, depth, 1}, outs, rows, panel.data(), c,
                          columns);
      }
    }
  }
}

// Fills `y` with the bias of each channel, or adds nothing when there is none.
template <class T>
void fill_bias(const ConvGeometry& conv, const T* bias, T* y) {
  const int64_t pixels = conv.window.out_pixels();
  const int64_t channels = conv.out_channels;
  for (int64_t n = 0; n < conv.batch; ++n) {
    for (int64_t c = 0; c < channels; ++c) {
      T* to = y + n * channels * pixels + c * (conv.nhwc ? 1 : pixels);
      for (int64_t p = 0; p < pixels; ++p) to[p * (conv.nhwc ? channels : 1)] = bias[c];
    }
  }
}

// Adds the bias of each channel to `y`. Floats add it last, as TFLite does: the last bit decides
// now and then how the next layer of a hybrid model rounds.
template <class T>
void add_bias(const ConvGeometry& conv, const T* bias, T* y) {
  const int64_t pixels = conv.window.out_pixels();
  const int64_t inner = conv.nhwc ? 1 : pixels;
  const int64_t outer = conv.batch * (conv.nhwc ? pixels : 1);
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t c = 0; c < conv.out_channels; ++c) {
      for (int64_t i = 0; i < inner; ++i) *y++ += bias[c];
    }
  }
}

}  // namespace hone
