#pragma once

#include "hone/ops/context.h"

namespace hone {

// For infer of resize: quantized values are moved by nearest, and interpolated along axes 1 and 2
// of an nhwc image; the scale stays.
Status check_resize_quantized(const InferContext& in);
// Linear interpolation as TFLite does it: of int8 and int16 images in integers with 10 fraction
// bits, of uint8 in float, cut towards zero.
Status eval_resize_linear_quantized(EvalContext& in);

}  // namespace hone
