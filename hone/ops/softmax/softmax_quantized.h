#pragma once

#include "hone/ops/context.h"

namespace hone {

// For infer: input, output and axis are such as TFLite's integer softmax takes.
Status check_softmax_quantized(const InferContext& in);
// int8 and uint8 to themselves, int8 to int16, int16 to itself.
Status eval_softmax_quantized(EvalContext& in);

}  // namespace hone
