// Nearest and bilinear resizing of NHWC images, by tables that the caller makes once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hone/kernels/variant.h"
#include "hone/tensor/small_float.h"

namespace hone {

// Where one output along an axis comes from: input[low] * (1 - weight) + input[high] * weight.
struct ResizeTap {
  uint32_t low;
  uint32_t high;
  float weight;
};

template <class T>
struct ResizeArgs {
  size_t channels;
  size_t in_height;
  size_t in_width;
  std::span<const ResizeTap> rows;     // One per output row.
  std::span<const ResizeTap> columns;  // One per output column.
  const T* x;                          // [images][in_height][in_width][channels]
  T* y;                        // [images][rows.size()][columns.size()][channels], apart from x.
  size_t y_stride = channels;  // Of resize_nearest: from one pixel of y to the next.
};

// Writes the output rows first .. last - 1, counted through all images.
template <class T>
using ResizeBilinear = void (*)(const ResizeArgs<T>& args, size_t first, size_t last);

// Fastest first; ends in "ref". Within 4e-7 of the largest of the four inputs, rounded to T.
std::span<const KernelVariant<ResizeBilinear<float>>> resize_bilinear_f32_variants();
std::span<const KernelVariant<ResizeBilinear<Half>>> resize_bilinear_f16_variants();

// The input at each tap's `low`, for elements of any type: `channels` counts bytes.
void resize_nearest(const ResizeArgs<std::byte>& args, size_t first, size_t last);

}  // namespace hone
