#pragma once

#include "hone/graph/graph.h"

namespace hone {

// Makes floats of the int8 weights that convolutions and matrix products of floats have, so that
// they are ordinary ones. Says how many nodes it changed.
int expand_hybrid_weights(Graph& graph);

}  // namespace hone
