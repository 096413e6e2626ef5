#pragma once

#include "hone/graph/graph.h"

namespace hone {

// Constants of float32 with more than `least` elements are stored as float16 or bfloat16 and cast
// back where they are read: half the bytes, float32 arithmetic. Says how many.
int store_weights_as(Graph& graph, DType dtype, int64_t least = 16);

}  // namespace hone
