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

// pool_ref.cc
template <class T>
void pool_ref(const PoolArgs<T>& args, size_t first, size_t last);
template <class T>
void pool_ref_pixel(const PoolArgs<T>& args, const PoolWindow<T>& window, T* y);

// The windows of one output row.
template <class T>
class PoolRow {
 public:
  PoolRow(const PoolArgs<T>& p, size_t row)
      : p_(p),
        image_(p.x + row / p.height.out * p.height.in * p.width.in * p.pixel()),
        y_(p.y + row * p.width.out * p.pixel()),
        h_(pool_span(p.height, row % p.height.out)) {}

  PoolWindow<T> window(size_t i) const {
    const PoolSpan w = pool_span(p_.width, i);
    const size_t inside = h_.count * w.count;
    const size_t counted = inside == 0 ? 1 : (p_.count_pad ? h_.with_pad * w.with_pad : inside);
    return {.x = image_ + (h_.first * p_.width.in + w.first) * p_.pixel(),
            .height = h_.count,
            .width = w.count,
            .row_step = p_.height.dilation * p_.width.in * p_.pixel(),
            .pixel_step = p_.width.dilation * p_.pixel(),
            .padding = counted - inside,
            .divisor = counted};
  }
  T* y(size_t i) const { return y_ + i * p_.pixel(); }

 private:
  const PoolArgs<T>& p_;
  const T* image_;
  T* y_;
  PoolSpan h_;
};

// Calls fn(window, y) for every pixel of the output rows first .. last - 1, with y the pixel's
// channels.
template <class T, class Fn>
inline void for_each_pool_window(const PoolArgs<T>& p, size_t first, size_t last, const Fn& fn) {
  for (size_t row = first; row < last; ++row) {
    const PoolRow<T> windows(p, row);
    for (size_t i = 0; i < p.width.out; ++i) fn(windows.window(i), windows.y(i));
  }
}

// The outputs along an axis whose windows lie inside the input: begin .. end - 1.
struct PoolInside {
  size_t begin;
  size_t end;
};

inline PoolInside pool_inside(const PoolAxis& axis) {
  const size_t window = (axis.kernel - 1) * axis.dilation + 1;
  const size_t begin = std::min(axis.out, (axis.pad_begin + axis.stride - 1) / axis.stride);
  if (axis.pad_begin + axis.in < window) return {begin, begin};
  const size_t end = (axis.pad_begin + axis.in - window) / axis.stride + 1;
  return {begin, std::clamp(end, begin, axis.out)};
}

}  // namespace hone
