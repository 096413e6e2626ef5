#pragma once

#include "hone/graph/graph.h"

namespace hone::cuda {

// Heads of attention in half precision that are written out,
//   transpose(matmul(softmax(matmul(transpose(q), transpose(k)) * scale), transpose(v))),
// become one operator, which reads and writes tokens as they lie. Says how many.
int fuse_attention(Graph& graph);

}  // namespace hone::cuda
