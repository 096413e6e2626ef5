#pragma once

#include <optional>

#include "hone/graph/graph.h"
#include "hone/kernels/activation.h"

namespace hone {

// The activation fused into a node, from its attributes. Nothing when kernels do not have it.
std::optional<Activation> fused_activation(const Node& node);

// An activation as an operator of its own: relu, clip with constant bounds, sigmoid ... Nothing for
// other operators.
std::optional<Activation> own_activation(const Node& node);

}  // namespace hone
