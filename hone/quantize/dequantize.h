#pragma once

#include "hone/base/result.h"
#include "hone/graph/graph.h"

namespace hone {

// True when activations go through Q/DQ pairs or have quantized types.
bool has_quantized_activations(const Graph& graph);

// The float network that a quantized one stands for: weights and biases with the values they had,
// activations in float from input to output, what ONNX has no word for lowered first. Rounding and
// saturation of activations are gone, so answers differ by what they did. Unsupported when an
// integer operator has no float twin.
Status dequantize_graph(Graph& graph);

}  // namespace hone
