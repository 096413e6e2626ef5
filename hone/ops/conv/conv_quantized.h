#pragma once

#include "hone/ops/conv/geometry.h"

namespace hone {

// conv and conv_transpose with quantized weights; see quant/weighted.h.
Status eval_conv_integer(EvalContext& in, const ConvGeometry& conv);
Status eval_conv_hybrid(EvalContext& in, const ConvGeometry& conv);

}  // namespace hone
