// What one node of a graph costs, counted from its types: operations, and bytes that must move.
#pragma once

#include <cstdint>

#include "hone/graph/graph.h"

namespace hone {

// Of a node with bodies: those of the dearer branch of an if; of all iterations of a loop or scan,
// or of one where their number is not known.
struct NodeCost {
  int64_t macs = 0;
  int64_t flops = 0;             // Two for each MAC, and the operations besides.
  uint64_t weight_bytes = 0;     // Constants that hold trained numbers, as the graph stores them.
  uint64_t read_bytes = 0;       // Computed inputs, each once.
  uint64_t written_bytes = 0;    // Outputs, each once.
  uint64_t stored_bytes = 0;     // Weights that are kept for it: its own, and those of all bodies.
  uint64_t body_live_bytes = 0;  // The most that its bodies hold at a time.
  // False when extents or iterations are not known before a run: the counts are lower bounds.
  bool known = true;

  uint64_t bytes() const { return weight_bytes + read_bytes + written_bytes; }
};

NodeCost node_cost(const Node& node);

// Weights that the bodies of a node hold, and bodies in them.
uint64_t body_weight_bytes(const Node& node);

// Numbers that steer the graph (shapes, axes, paddings) are 64-bit integers or flags; other
// constants are weights.
bool is_weight(const Value& value);

}  // namespace hone
