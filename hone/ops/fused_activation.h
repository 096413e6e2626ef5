// Activations as attributes of the operators whose results they are applied to.
#pragma once

#include <optional>
#include <string>

#include "hone/graph/graph.h"

namespace hone {

struct FusedActivation {
  std::string name;    // As the attribute `activation` has it (common.h lists them),
  Floats params = {};  // and `activation_params`.
};

// What a node would be as an attribute of the one before it. Nothing for other operators, and for
// a clip whose bounds are computed.
std::optional<FusedActivation> as_fused_activation(const Node& node);

}  // namespace hone
