#pragma once

#include "hone/ops/context.h"

namespace hone {

// Functions of one quantized number that TFLite reads from a table made in float, or computes from
// what the number stands for. Unsupported for types and scales that its kernels do not take.
Status eval_exp_quantized(EvalContext& in);
Status eval_log_quantized(EvalContext& in);
Status eval_sqrt_quantized(EvalContext& in);
Status eval_rsqrt_quantized(EvalContext& in);
Status eval_abs_quantized(EvalContext& in);
Status eval_elu_quantized(EvalContext& in);
Status eval_gelu_quantized(EvalContext& in);
// Of uint8, for which TFLite has no fixed-point kernel.
Status eval_sigmoid_table(EvalContext& in);
Status eval_tanh_table(EvalContext& in);

}  // namespace hone
