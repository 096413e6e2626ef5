#pragma once

#include "hone/base/result.h"
#include "hone/graph/graph.h"

namespace hone {

// Turns what ONNX has no word for into what it has: fused activations become nodes of their own,
// nhwc operators are put between transposes, quantized values get QuantizeLinear / DequantizeLinear
// pairs around float operators. The integers of such a model then follow ONNX's arithmetic, not
// TFLite's.
Status lower_to_onnx(Graph& graph);

}  // namespace hone
