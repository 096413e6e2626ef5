// Products of one input as one product.
#pragma once

#include "hone/graph/graph.h"

namespace hone::cuda {

// Projections of one input that only an attention reads are multiplied at once: the attention then
// reads slices of what comes out. Gives how many products were joined.
int join_products(Graph& graph);

}  // namespace hone::cuda
