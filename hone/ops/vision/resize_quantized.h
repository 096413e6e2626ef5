#pragma once

#include <string>
#include <vector>

#include "hone/ops/context.h"

namespace hone {

// For infer of resize: quantized values are moved by nearest, and interpolated along axes 1 and 2
// of an nhwc image; the scale stays.
Status check_resize_quantized(const InferContext& in);
// Linear interpolation as TFLite does it: of int8 and int16 images in integers with 10 fraction
// bits, of uint8 in float, cut towards zero.
Status eval_resize_linear_quantized(EvalContext& in);

// Of int8 and int16: where an output pixel lies along an axis, between input pixels `low` and
// `high`, `position` units of 2^-kPixelBits behind the first of all; in front of it when negative.
inline constexpr int kPixelBits = 10;
struct PixelSource {
  int64_t position;
  int64_t low;
  int64_t high;
};
std::vector<PixelSource> pixel_sources(int64_t in, int64_t out, const std::string& coordinates);

}  // namespace hone
