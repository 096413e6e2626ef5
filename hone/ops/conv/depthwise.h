// Convolutions with one input channel per group. A panel of 16 pixels would be used by one channel
// only, so these add one tap after the other to whole rows (nchw) or to all channels of a pixel
// (nhwc). Measured on Neoverse-V1, 144 channels of 56x56, 3x3: 0.3 GMAC/s with panels.
#pragma once

#include <algorithm>
#include <vector>

#include "hone/ops/conv/geometry.h"

namespace hone {

// The output pixels first .. last - 1 whose tap lies inside the image.
struct PixelRange {
  int64_t first;
  int64_t last;
};
inline PixelRange pixels_inside(const WindowAxis& axis, int64_t tap) {
  const int64_t start = axis.source(0, tap);  // Of pixel 0; may be negative.
  const int64_t first = start >= 0 ? 0 : (-start + axis.stride - 1) / axis.stride;
  const int64_t last = start >= axis.in ? 0 : (axis.in - 1 - start) / axis.stride + 1;
  return {std::min(first, axis.out), std::clamp(last, std::min(first, axis.out), axis.out)};
}

// Calls fn(tap, depth tap, height tap, width tap) for every tap.
template <class Fn>
void for_each_tap(const Window& window, Fn&& fn) {
  const WindowAxis& depth = window.axes[0];
  const WindowAxis& height = window.axes[1];
  const WindowAxis& width = window.axes[2];
  int64_t tap = 0;
  for (int64_t a = 0; a < depth.kernel; ++a) {
    for (int64_t b = 0; b < height.kernel; ++b) {
      for (int64_t c = 0; c < width.kernel; ++c) fn(tap++, a, b, c);
    }
  }
}

// One plane of nchw: y += x convolved with the taps w.
template <class T>
void convolve_plane(const Window& window, const T* x, const T* w, T* y) {
  const WindowAxis& depth = window.axes[0];
  const WindowAxis& height = window.axes[1];
  const WindowAxis& width = window.axes[2];
  for_each_tap(window, [&](int64_t tap, int64_t a, int64_t b, int64_t c) {
    const T factor = w[tap];
    const PixelRange slices = pixels_inside(depth, a);
    const PixelRange rows = pixels_inside(height, b);
    const PixelRange columns = pixels_inside(width, c);
    for (int64_t oz = slices.first; oz < slices.last; ++oz) {
      for (int64_t oy = rows.first; oy < rows.last; ++oy) {
        T* to = y + (oz * height.out + oy) * width.out;
        const T* from = x + (depth.source(oz, a) * height.in + height.source(oy, b)) * width.in;
        int64_t ix = width.source(columns.first, c);
        for (int64_t ox = columns.first; ox < columns.last; ++ox, ix += width.stride) {
          to[ox] += factor * from[ix];
        }
      }
    }
  });
}

// One image of nhwc; `w` is [taps][output channels].
template <class T>
void convolve_channels(const ConvGeometry& conv, const T* x, const T* w, T* y) {
  const WindowAxis& depth = conv.window.axes[0];
  const WindowAxis& height = conv.window.axes[1];
  const WindowAxis& width = conv.window.axes[2];
  const int64_t per_channel = conv.out_channels / conv.in_channels;
  for_each_tap(conv.window, [&](int64_t tap, int64_t a, int64_t b, int64_t c) {
    const T* factors = w + tap * conv.out_channels;
    const PixelRange slices = pixels_inside(depth, a);
    const PixelRange rows = pixels_inside(height, b);
    const PixelRange columns = pixels_inside(width, c);
    for (int64_t oz = slices.first; oz < slices.last; ++oz) {
      for (int64_t oy = rows.first; oy < rows.last; ++oy) {
        for (int64_t ox = columns.first; ox < columns.last; ++ox) {
          T* to = y + ((oz * height.out + oy) * width.out + ox) * conv.out_channels;
          const int64_t row = depth.source(oz, a) * height.in + height.source(oy, b);
          const T* from = x + (row * width.in + width.source(ox, c)) * conv.in_channels;
          if (per_channel == 1) {
            for (int64_t o = 0; o < conv.out_channels; ++o) to[o] += factors[o] * from[o];
          } else {
            for (int64_t o = 0; o < conv.out_channels; ++o) {
              to[o] += factors[o] * from[o / per_channel];
            }
          }
        }
      }
    }
  });
}

// Adds the convolution of `x` with `w` to `y`. Requires as many groups as input channels.
template <class T>
void convolve_depthwise(const ConvGeometry& conv, const T* x, const T* w, T* y) {
  const int64_t taps = conv.window.taps();
  const int64_t in_pixels = conv.window.in_pixels();
  const int64_t out_pixels = conv.window.out_pixels();
  if (!conv.nhwc) {
    for (int64_t o = 0; o < conv.batch * conv.out_channels; ++o) {
      const int64_t plane = o / (conv.out_channels / conv.in_channels);
      convolve_plane(conv.window, x + plane * in_pixels, w + o % conv.out_channels * taps,
                     y + o * out_pixels);
    }
    return;
  }
  std::vector<T> by_tap(static_cast<size_t>(taps * conv.out_channels));
  for (int64_t o = 0; o < conv.out_channels; ++o) {
    for (int64_t t = 0; t < taps; ++t) {
      by_tap[static_cast<size_t>(t * conv.out_channels + o)] = w[o * taps + t];
    }
  }
  for (int64_t n = 0; n < conv.batch; ++n) {
    convolve_channels(conv, x + n * conv.in_channels * in_pixels, by_tap.data(),
                      y + n * conv.out_channels * out_pixels);
  }
}

}  // namespace hone
