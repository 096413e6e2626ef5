#pragma once

#include <string>
#include <vector>

#include "hone/quantize/quantize.h"

namespace hone {

// Those of a quantized network that the target computes in float all the same: it has no integer
// form of them, or none for these types and scales. `graph` is the network's, of known extents.
Result<std::vector<QuantizedLayer>> computed_in_float(const Quantized& network, const Graph& graph,
                                                      const std::string& target);

}  // namespace hone
