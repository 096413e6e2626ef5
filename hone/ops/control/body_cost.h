// What the bodies of a node cost: if, loop, scan, sequence_map.
#pragma once

#include "hone/ops/node_cost.h"

namespace hone {

// Subgraphs that are attributes of the node, in the order of their names.
std::vector<const Graph*> bodies_of(const Node& node);

// Of all that runs inside of the node's bodies, with the extents that follow from its inputs.
NodeCost body_cost(const Node& node);

}  // namespace hone
