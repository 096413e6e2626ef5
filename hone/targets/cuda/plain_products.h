// Products in the forms that kernels take: as many matrices on the right as on the left, or one; no
// transposed left side; what is added is one number for each column.
#pragma once

#include "hone/graph/graph.h"

namespace hone::cuda {

// Puts transposes, expansions and sums around products of floats in other forms. Says how many.
int plain_products(Graph& graph);

}  // namespace hone::cuda
