#include "hone/targets/cpu/window.h"

#include <algorithm>

namespace hone::cpu {
namespace {

std::vector<ptrdiff_t> offsets_of(const WindowAxis& axis, size_t stride) {
  std::vector<ptrdiff_t> offsets;
  for (int64_t pixel = 0; pixel < axis.out; ++pixel) {
    for (int64_t tap = 0; tap < axis.kernel; ++tap) {
      const int64_t at = axis.source(pixel, tap);
      const bool inside = at >= 0 && at < axis.in;
      offsets.push_back(inside ? static_cast<ptrdiff_t>(at) * static_cast<ptrdiff_t>(stride) : -1);
    }
  }
  return offsets;
}

bool is_inner(const WindowAxis& axis, int64_t pixel) {
  const auto inside = [&](int64_t at) { return at >= 0 && at < axis.in; };
  return inside(axis.source(pixel, 0)) && inside(axis.source(pixel, axis.kernel - 1));
}

bool is_identity(const WindowAxis& axis) {
  return axis.kernel == 1 && axis.stride == 1 && axis.pad_begin == 0 && axis.in == axis.out;
}

}  // namespace

WindowRows::WindowRows(const ConvGeometry& conv) {
  const WindowAxis& height = conv.window.axes[1];
  const WindowAxis& width = conv.window.axes[2];
  batch_ = static_cast<size_t>(conv.batch);
  height_ = height;
  width_ = width;
  out_h_ = static_cast<size_t>(height.out);
  out_w_ = static_cast<size_t>(width.out);
  kernel_h_ = static_cast<size_t>(height.kernel);
  kernel_w_ = static_cast<size_t>(width.kernel);
  taps_ = kernel_h_ * kernel_w_;
  pixel_stride_ = static_cast<size_t>(conv.in_channels);
  image_stride_ = pixel_stride_ * static_cast<size_t>(height.in * width.in);
  row_offsets_ = offsets_of(height, pixel_stride_ * static_cast<size_t>(width.in));
  column_offsets_ = offsets_of(width, pixel_stride_);
  while (inner_begin_ < out_w_ && !is_inner(width, static_cast<int64_t>(inner_begin_))) {
    ++inner_begin_;
  }
  inner_end_ = inner_begin_;
  while (inner_end_ < out_w_ && is_inner(width, static_cast<int64_t>(inner_end_))) ++inner_end_;
  column_step_ = pixel_stride_ * static_cast<size_t>(width.stride);
  side_by_side_ = width.dilation == 1;
  dense_ = is_identity(height) && is_identity(width);
  const auto outside = [](ptrdiff_t offset) { return offset < 0; };
  padded_ =
      std::ranges::any_of(row_offsets_, outside) || std::ranges::any_of(column_offsets_, outside);
}

WindowRows WindowRows::dense(size_t rows, size_t depth) {
  WindowRows window;
  window.out_w_ = rows;
  window.pixel_stride_ = depth;
  window.image_stride_ = rows * depth;
  window.row_offsets_ = {0};
  window.inner_end_ = rows;
  window.column_step_ = depth;
  window.dense_ = true;
  for (size_t row = 0; row < rows; ++row) {
    window.column_offsets_.push_back(static_cast<ptrdiff_t>(row * depth));
  }
  return window;
}

}  // namespace hone::cpu
