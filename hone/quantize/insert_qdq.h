#pragma once

#include "hone/quantize/layers.h"

namespace hone {

using Ranges = std::unordered_map<const Value*, Range>;

// Puts quantize_linear and dequantize_linear around the layers, as QDQ models have them:
// activations with one scale and zero point per tensor from their range, weights as their scheme
// says, biases in int32. What a layer gives is quantized before anything reads it, so that the
// layer can run on integers as a whole; where a reader has another type, a second pair follows.
// Values without a range stay as they are.
void insert_qdq(Graph& graph, const std::vector<QuantLayer>& layers, const Ranges& ranges);

}  // namespace hone
