// Where a sliding window goes: layouts, padding, strides and extents of convolutions and pools.
//
// A convolution with padding p, stride s and dilation d reads, for output pixel o and tap t of its
// kernel, input pixel o * s + t * d - p on every spatial axis.
#pragma once

#include <array>
#include <span>

#include "hone/ops/context.h"

namespace hone {

// One spatial axis. `out` is kUnknown when `in` or `kernel` is; kernel, stride, dilation and
// padding are at most 2^31, so that products of two do not overflow.
struct WindowAxis {
  int64_t in = 1;
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t pad_begin = 0;
  int64_t pad_end = 0;
  int64_t out = 1;

  // Input pixels from the first tap to the last.
  int64_t reach() const { return (kernel - 1) * dilation + 1; }
  // The input pixel under a tap; outside 0 .. in - 1 it is padding.
  int64_t source(int64_t pixel, int64_t tap) const {
    return pixel * stride + tap * dilation - pad_begin;
  }
};

inline constexpr size_t kMostSpatialAxes = 3;

struct Window {
  size_t rank = 0;  // Of the image: 1 to 3 spatial axes.
  // Depth, height, width: the last `rank` of them, the others being one pixel wide.
  std::array<WindowAxis, kMostSpatialAxes> axes;

  std::span<const WindowAxis> used() const { return std::span(axes).last(rank); }
  Shape out_extents() const;
  // These require every extent to be known.
  int64_t taps() const { return axes[0].kernel * axes[1].kernel * axes[2].kernel; }
  int64_t in_pixels() const { return axes[0].in * axes[1].in * axes[2].in; }
  int64_t out_pixels() const { return axes[0].out * axes[1].out * axes[2].out; }
};

// The window of a convolution or pool over an image with extents `in`, from the node's attributes
// auto_pad, dilations, pads, strides and, where the operator has it, ceil_mode.
Result<Window> slide_window(const NodeContext& node, std::span<const int64_t> in,
                            std::span<const int64_t> kernel);
// The window of a transposed convolution, where `in` and `out` of an axis change places: input
// pixel i reaches output pixel i * stride + tap * dilation - pad_begin. Reads auto_pad, dilations,
// output_padding, output_shape, pads and strides.
Result<Window> spread_window(const NodeContext& node, std::span<const int64_t> in,
                             std::span<const int64_t> kernel);

// An image tensor's extents: [batch, channels, spatial...] in nchw, [batch, spatial..., channels]
// in nhwc. Weights of a convolution have the same form: [output channels, input channels,
// spatial...].
struct ImageShape {
  int64_t batch = 1;
  int64_t channels = 1;
  Shape spatial;
};
Result<bool> is_nhwc(const NodeContext& node);
// BadInput below rank 3, Unsupported beyond kMostSpatialAxes.
Result<ImageShape> split_image(const Shape& shape, bool nhwc);
Shape join_image(const ImageShape& image, bool nhwc);

struct ConvGeometry {
  int64_t batch = 1;
  int64_t in_channels = 1;
  int64_t out_channels = 1;
  int64_t groups = 1;
  bool nhwc = false;
  bool transposed = false;
  Window window;

  Shape out_shape() const;
  bool known() const;
  // Multiply-accumulates, taps that lie in the padding included. Requires known().
  int64_t macs() const;
};

// Of conv and its integer relatives. BadInput when input, weights and attributes do not fit
// together.
Result<ConvGeometry> conv_geometry(const NodeContext& node, const Shape& x, const Shape& w);
// Of conv_transpose, whose weights are [input channels, output channels / group, spatial...] in
// nchw and [output channels, spatial..., input channels / group] in nhwc.
Result<ConvGeometry> conv_transpose_geometry(const NodeContext& node, const Shape& x,
                                             const Shape& w);

using GeometryFn = Result<ConvGeometry> (*)(const NodeContext&, const Shape&, const Shape&);
// The output's type, from inputs `x` and `w` and an optional `bias` of as many elements as there
// are output channels.
Result<TensorType> conv_type(const InferContext& in, GeometryFn geometry, DType dtype, size_t x,
                             size_t w, size_t bias);

}  // namespace hone
