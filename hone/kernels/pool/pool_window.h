// Where the windows of a pool lie.
#pragma once

#include <algorithm>

#include "hone/kernels/pool/pool.h"

namespace hone {

// The inputs first, first + dilation, ... of one output along an axis, `count` of them.
struct PoolSpan {
  size_t first;
  size_t count;
  size_t with_pad;  // As count, with those in the padding.
};

inline PoolSpan pool_span(const PoolAxis& axis, size_t out) {
  const size_t start = out * axis.stride;  // Counted from the begin of the padding.
  const size_t skipped =
      start >= axis.pad_begin ? 0 : (axis.pad_begin - start + axis.dilation - 1) / axis.dilation;
  const auto taps_before = [&](size_t end) {
    return start >= end ? 0 : std::min(axis.kernel, (end - start - 1) / axis.dilation + 1);
  };
  const size_t last = taps_before(axis.pad_begin + axis.in);
  const size_t count = last > skipped ? last - skipped : 0;
  return {count == 0 ? 0 : start + skipped * axis.dilation - axis.pad_begin, count,
          taps_before(axis.pad_begin + axis.in + axis.pad_end)};
}

// pool_ref.cc
template <class T>
void pool_ref(const PoolArgs<T>& args, size_t first, size_t last);

// The inputs under one output: `height` rows of `width` pixels, starting at x.
template <class T>
struct PoolWindow {
  const T* x;
  size_t height;
  size_t width;
  size_t row_step;    // Elements from one row of the window to the next.
  size_t pixel_step;  // Elements from one pixel to the next.
  size_t padding;     // Zeros that count beside the inputs;
  size_t divisor;     // how many there are with them.
};

// Calls fn(window, y) for every pixel of the output rows first .. last - 1, with y the pixel's
// channels.
template <class T, class Fn>
inline void for_each_pool_window(const PoolArgs<T>& p, size_t first, size_t last, const Fn& fn) {
  const size_t pixel = p.pixel();
  for (size_t row = first; row < last; ++row) {
    const T* image = p.x + row / p.height.out * p.height.in * p.width.in * pixel;
    const PoolSpan h = pool_span(p.height, row % p.height.out);
    for (size_t i = 0; i < p.width.out; ++i) {
      const PoolSpan w = pool_span(p.width, i);
      T* y = p.y + (row * p.width.out + i) * pixel;
      const size_t inside = h.count * w.count;
      const size_t counted = inside == 0 ? 1 : (p.count_pad ? h.with_pad * w.with_pad : inside);
      fn(PoolWindow<T>{image + (h.first * p.width.in + w.first) * pixel, h.count, w.count,
                       p.height.dilation * p.width.in * pixel, p.width.dilation * pixel,
                       counted - inside, counted},
         y);
    }
  }
}

}  // namespace hone
