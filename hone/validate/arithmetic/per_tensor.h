#pragma once

#include "hone/graph/graph.h"

namespace hone {

// Gives weights that have a scale per channel one for the whole tensor, as engines need that know
// no other: the largest, to which the stored values and the bias of conv and gemm on quantized
// types are brought. Says how many tensors changed.
int make_per_tensor(Graph& graph);

}  // namespace hone
