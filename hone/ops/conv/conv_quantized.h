#pragma once

#include "hone/ops/conv/geometry.h"
#include "hone/ops/quant/weighted.h"

namespace hone {

// conv and conv_transpose with quantized weights; see quant/weighted.h.
Status eval_conv_integer(EvalContext& in, const ConvGeometry& conv);
Status eval_conv_hybrid(EvalContext& in, const ConvGeometry& conv);
// How a hybrid convolution quantizes its activations.
HybridRange hybrid_range(const ConvGeometry& conv, const Quantization& weights);

}  // namespace hone
