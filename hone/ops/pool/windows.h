// Walks the windows of a pool over every channel of an image.
#pragma once

#include <algorithm>

#include "hone/ops/conv/geometry.h"
#include "hone/ops/op_def.h"

namespace hone {

struct PoolGeometry {
  int64_t batch = 1;
  int64_t channels = 1;
  bool nhwc = false;
  Window window;

  Shape out_shape() const { return join_image({batch, channels, window.out_extents()}, nhwc); }
};

// From the attributes kernel_shape and layout, and those that slide_window reads.
Result<PoolGeometry> pool_geometry(const NodeContext& node, const Shape& x);
// The type of a pool's output, for input 0.
Result<TensorType> pool_type(const InferContext& in);
// Whether the padding takes part in an average_pool's means.
bool counts_padding(const NodeContext& node, const Window& window);
// One operation per element and tap.
Cost pool_cost(const InferContext& in);

// The taps first .. last - 1 of a window that lie inside the image; none when first == last.
struct TapRange {
  int64_t first;
  int64_t last;
};
inline TapRange taps_inside(const WindowAxis& axis, int64_t pixel) {
  const int64_t start = axis.source(pixel, 0);
  const int64_t first = start >= 0 ? 0 : (-start + axis.dilation - 1) / axis.dilation;
  const int64_t last = start >= axis.in ? 0 : (axis.in - 1 - start) / axis.dilation + 1;
  return {first, std::max(first, std::min(last, axis.kernel))};
}

// How many taps of a window lie inside the image or its padding.
inline int64_t taps_with_padding(const WindowAxis& axis, int64_t pixel) {
  const int64_t room = axis.in + axis.pad_end - axis.source(pixel, 0);
  return std::min(axis.kernel, (room + axis.dilation - 1) / axis.dilation);
}

// One output element of a pool.
struct PoolWindow {
  const Window& window;
  int64_t plane;  // Which channel of which image, counted through the batch.
  int64_t base;   // Offset of the channel's first element.
  int64_t step;   // Elements from one pixel to the next.
  int64_t out;    // Offset of the output element.
  int64_t pixel[kMostSpatialAxes];
  TapRange taps[kMostSpatialAxes];

  bool empty() const {
    return std::ranges::any_of(taps, [](const TapRange& t) { return t.first == t.last; });
  }

  // Input elements under the window.
  int64_t count() const {
    int64_t count = 1;
    for (const TapRange& t : taps) count *= t.last - t.first;
    return count;
  }

  // The same with those of the padding.
  int64_t count_with_padding() const {
    int64_t count = 1;
    for (size_t i = 0; i < kMostSpatialAxes; ++i) {
      count *= taps_with_padding(window.axes[i], pixel[i]);
    }
    return count;
  }

  // Calls fn(offset, z, y, x) for every input element under the window.
  template <class Fn>
  void each(Fn&& fn) const {
    const auto& [depth, height, width] = window.axes;
    for (int64_t a = taps[0].first; a < taps[0].last; ++a) {
      const int64_t z = depth.source(pixel[0], a);
      for (int64_t b = taps[1].first; b < taps[1].last; ++b) {
        const int64_t y = height.source(pixel[1], b);
        const int64_t row = (z * height.in + y) * width.in;
        for (int64_t c = taps[2].first; c < taps[2].last; ++c) {
          const int64_t x = width.source(pixel[2], c);
          fn(base + (row + x) * step, z, y, x);
        }
      }
    }
  }
};

// Calls fn(const PoolWindow&) for every output element.
template <class Fn>
void for_each_window(const PoolGeometry& pool, Fn&& fn) {
  const auto& [depth, height, width] = pool.window.axes;
  const int64_t in_pixels = pool.window.in_pixels();
  const int64_t out_pixels = pool.window.out_pixels();
  for (int64_t plane = 0; plane < pool.batch * pool.channels; ++plane) {
    const int64_t image = plane / pool.channels * pool.channels;
    const int64_t channel = plane % pool.channels;
    const int64_t step = pool.nhwc ? pool.channels : 1;
    const int64_t base = pool.nhwc ? image * in_pixels + channel : plane * in_pixels;
    int64_t out = pool.nhwc ? image * out_pixels + channel : plane * out_pixels;
    for (int64_t z = 0; z < depth.out; ++z) {
      for (int64_t y = 0; y < height.out; ++y) {
        for (int64_t x = 0; x < width.out; ++x, out += step) {
          fn(PoolWindow{
              .window = pool.window,
              .plane = plane,
              .base = base,
              .step = step,
              .out = out,
              .pixel = {z, y, x},
              .taps = {taps_inside(depth, z), taps_inside(height, y), taps_inside(width, x)}});
        }
      }
    }
  }
}

}  // namespace hone
