#pragma once

#include "hone/graph/graph.h"

namespace hone {

// Computes in float16 what is float32 and what half precision is enough for: convolutions, matrix
// products, pools, activations, and what moves values between them. Weights become float16 here;
// casts stand where the graph is entered and left, and around operators that keep float32. Results
// differ from float32's by a few thousandths. Norms are among it where sums over halves are made in
// float32 (`wide_sums`). Says how many nodes it changed.
int use_half_precision(Graph& graph, bool wide_sums = false);

}  // namespace hone
