// Where the pixels of a bilinear resize come from.
#pragma once

#include "hone/kernels/resize/resize.h"

namespace hone {

// y = weights[0] * x[0] + ... + weights[3] * x[3], channel by channel.
template <class T>
struct ResizePixel {
  const T* x[4];
  float weights[4];
};

// Calls fn(pixel, y) for every pixel of the output rows first .. last - 1.
template <class T, class Fn>
inline void for_each_resize_pixel(const ResizeArgs<T>& p, size_t first, size_t last, const Fn& fn) {
  T* y = p.y + first * p.columns.size() * p.channels;
  for (size_t i = first; i < last; ++i) {
    const size_t image = i / p.rows.size() * p.in_height;
    const ResizeTap& row = p.rows[i % p.rows.size()];
    const T* low = p.x + (image + row.low) * p.in_width * p.channels;
    const T* high = p.x + (image + row.high) * p.in_width * p.channels;
    for (const ResizeTap& column : p.columns) {
      const size_t left = column.low * p.channels, right = column.high * p.channels;
      const float w = column.weight, v = row.weight;
      fn(ResizePixel<T>{{low + left, low + right, high + left, high + right},
                        {(1 - v) * (1 - w), (1 - v) * w, v * (1 - w), v * w}},
         y);
      y += p.channels;
    }
  }
}

}  // namespace hone
