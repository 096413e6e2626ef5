#pragma once

#include "hone/ops/context.h"

namespace hone {

// add, sub and mul of quantized tensors, as TFLite's reference kernels compute them.
Status eval_add_quantized(EvalContext& in);
Status eval_sub_quantized(EvalContext& in);
Status eval_mul_quantized(EvalContext& in);

}  // namespace hone
