#pragma once

#include <vector>

#include "hone/base/result.h"
#include "hone/graph/graph.h"

namespace hone {

// Puts quantize_linear and dequantize_linear around the convolutions, matrix products, sums and
// pools of a float graph, as QDQ models have them: int8 activations with one scale and zero point
// per tensor, from the smallest and largest values seen when the samples run; int8 weights with one
// scale per output channel, without zero point; int32 biases. Batch norms are folded first.
// A sample is one item per graph input. BadInput when there is none.
Status quantize_static(Graph& graph, const std::vector<std::vector<Item>>& samples);

}  // namespace hone
