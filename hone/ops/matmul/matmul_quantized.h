#pragma once

#include "hone/ops/context.h"

namespace hone {

// For infer of matmul: int8 or int16 operands and output, each of one scale; int16 without zero
// points.
Status check_matmul_quantized(const InferContext& in);
// As TFLite's reference kernel: sums in 32 bits, or 64 for int16, scaled to the output.
Status eval_matmul_quantized(EvalContext& in);

}  // namespace hone
