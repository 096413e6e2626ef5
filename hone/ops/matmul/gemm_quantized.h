#pragma once

#include "hone/ops/context.h"

namespace hone {

// gemm with quantized weights b, alpha = beta = 1 and no transA; see quant/weighted.h.
Status eval_gemm_integer(EvalContext& in);
Status eval_gemm_hybrid(EvalContext& in);

}  // namespace hone
