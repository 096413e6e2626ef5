#pragma once

#include "hone/base/result.h"
#include "hone/graph/graph.h"

namespace hone {

// Rewrites the graph so that every node is one that TFLite has a word for, as far as it has: images
// channels last, Q/DQ pairs around an operator as an operator on quantized types, only activations
// fused that TFLite fuses. A graph that was read from a .tflite file stays as it is.
Status lower_to_tflite(Graph& graph);

}  // namespace hone
