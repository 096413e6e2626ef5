// Adaptive rounding of one layer, once the sums over its data are there.
#pragma once

#include "hone/quantize/recover/adaround.h"
#include "hone/quantize/recover/gram.h"

namespace hone {

struct RoundingTask {
  LayerPair pair;
  // The layer follows another one of the same pass: it learns from its own inputs alone, so the
  // sums have no outputs.
  bool follows = false;
  GramSums sums;  // Centered where there is a bias to leave the means to.

  const ProductLayer& layer() const { return pair.quantized; }
};

// Writes the weights and the bias of `task` into the graph.
Result<RoundedLayer> round_layer(Graph& quantized, const RoundingTask& task,
                                 const AdaroundOptions& options);

}  // namespace hone
