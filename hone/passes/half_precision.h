#pragma once

#include "hone/graph/graph.h"
#include "hone/tensor/dtype.h"

namespace hone {

// Computes in float16 what is float32 and what half precision is enough for: convolutions, matrix
// products, pools, activations, and what moves values between them. Weights become float16 here;
// casts stand where the graph is entered and left, and around operators that keep float32. Results
// differ from float32's by a few thousandths. Norms are among it where sums over halves are made in
// float32 (`wide_sums`). `type` may be bfloat16 instead, for engines that compute with it. Says how
// many nodes it changed.
int use_half_precision(Graph& graph, bool wide_sums = false, DType type = DType::F16);

}  // namespace hone
