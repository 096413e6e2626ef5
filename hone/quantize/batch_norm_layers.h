#pragma once

#include "hone/graph/graph.h"

namespace hone {

// Batch norms over images that no convolution can take in become convolutions of one pixel and one
// channel each, which have weights and so can be quantized. Returns how many.
int batch_norms_to_convs(Graph& graph);

}  // namespace hone
