// Attention that no kernel takes as a whole, in single precision or with masks, becomes what kernels
// do take: two products with a softmax in between.
#pragma once

#include <functional>

#include "hone/graph/graph.h"

namespace hone::cuda {

// Those that `stays` is false of. Leaves to the host what gives more than one result, and keys whose
// number a run tells. Says how many.
int expand_attention(Graph& graph, const std::function<bool(const Node&)>& stays);

}  // namespace hone::cuda
