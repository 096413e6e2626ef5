#pragma once

#include "hone/ops/context.h"

namespace hone {

// Activation functions of quantized tensors, as TFLite's reference kernels compute them.
// Unsupported for types and scales that these do not take.
Status eval_sigmoid_quantized(EvalContext& in);
Status eval_tanh_quantized(EvalContext& in);
Status eval_hard_swish_quantized(EvalContext& in);
Status eval_leaky_relu_quantized(EvalContext& in);
// Two quantized inputs: x and the slope.
Status eval_prelu_quantized(EvalContext& in);

}  // namespace hone
