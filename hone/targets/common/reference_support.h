// For targets that fall back on the operators' references.
#pragma once

#include "hone/base/result.h"
#include "hone/graph/graph.h"
#include "hone/targets/target.h"

namespace hone {

// Whether the node's operator has a reference.
Support reference_support(const Node& node);

// Unsupported with the node's name and the reason where it has none. A custom node tells the reason
// that its import left in it.
Status check_reference(const Node& node);

}  // namespace hone
