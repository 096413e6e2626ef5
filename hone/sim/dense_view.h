// Views as kernels want them: pixels and rows without gaps.
#pragma once

#include <cstring>

#include "hone/sim/command.h"

namespace hone::sim {

inline size_t size_of(int64_t x) {
  return static_cast<size_t>(x);
}

// Whether pixels lie side by side, and rows. Where there is only one, strides do not matter.
inline bool dense_pixels(const View& view) {
  return view.width == 1 || view.pixel_stride == view.channels;
}
inline bool dense(const View& view) {
  return dense_pixels(view) && (view.height == 1 || view.row_stride == view.width * view.channels);
}
// Whether pixel (y, x) is pixel y * width + x of a single row.
inline bool one_row(const View& view) {
  return view.height == 1 || view.row_stride == view.width * view.pixel_stride;
}

// Calls visit(offset into the view, offset into a dense copy, bytes) for runs that are as long as
// the view allows.
template <class Visit>
void for_each_run(const View& view, Visit visit) {
  if (dense(view)) return visit(size_t{0}, size_t{0}, size_of(view.elements()));
  const bool rows = dense_pixels(view);
  const size_t bytes = size_of(rows ? view.width * view.channels : view.channels);
  size_t packed = 0;
  for (int64_t y = 0; y < view.height; ++y) {
    for (int64_t x = 0; x < (rows ? 1 : view.width); ++x, packed += bytes) {
      visit(size_of(y * view.row_stride + x * view.pixel_stride), packed, bytes);
    }
  }
}

inline void gather(const View& view, const std::byte* from, std::byte* to) {
  for_each_run(view, [&](size_t there, size_t here, size_t bytes) {
    std::memcpy(to + here, from + there, bytes);
  });
}
inline void scatter(const View& view, const std::byte* from, std::byte* to) {
  for_each_run(view, [&](size_t there, size_t here, size_t bytes) {
    std::memcpy(to + there, from + here, bytes);
  });
}

// A window that starts inside of its input, as a tile's may: the same with the rows and columns in
// front of it cut off, for kernels whose padding is not negative.
inline void cut_unread(View& input, Window2d& window) {
  if (window.pad_top < 0) {
    input.height += window.pad_top;
    input.at.offset += static_cast<uint64_t>(-window.pad_top * input.row_stride);
    window.pad_top = 0;
  }
  if (window.pad_left < 0) {
    input.width += window.pad_left;
    input.at.offset += static_cast<uint64_t>(-window.pad_left * input.pixel_stride);
    window.pad_left = 0;
  }
}

}  // namespace hone::sim
