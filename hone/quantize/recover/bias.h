// The bias of a quantized layer.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "hone/quantize/recover/layer.h"

namespace hone {

// Why the bias of the layer cannot be changed, or nothing.
std::optional<std::string> fixed_bias(const ProductLayer& layer);

// Adds one number per channel to the bias. An int32 one keeps its scales; where there is none, one
// is made: int32 in units of the input's scale times the weights', as integer engines need it, or
// float where there are no such scales. Requires that the bias is not fixed.
void shift_bias(Graph& graph, const ProductLayer& layer, std::span<const double> shift);

}  // namespace hone
