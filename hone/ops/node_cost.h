// What one node of a graph costs, counted from its types: operations, and bytes that must move.
#pragma once

#include <cstdint>

#include "hone/graph/graph.h"

namespace hone {

struct NodeCost {
  int64_t macs = 0;
  int64_t flops = 0;           // Two for each MAC, and the operations besides.
  uint64_t weight_bytes = 0;   // Constants that hold trained numbers, as the graph stores them.
  uint64_t read_bytes = 0;     // Computed inputs, each once.
  uint64_t written_bytes = 0;  // Outputs, each once.
  bool known = true;  // False when extents are not known before a run: the counts are lower bounds.

  uint64_t bytes() const { return weight_bytes + read_bytes + written_bytes; }
};

NodeCost node_cost(const Node& node);

// Numbers that steer the graph (shapes, axes, paddings) are 64-bit integers or flags; other
// constants are weights.
bool is_weight(const Value& value);

}  // namespace hone
