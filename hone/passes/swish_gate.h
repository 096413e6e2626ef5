#pragma once

#include <optional>

#include "hone/graph/graph.h"

namespace hone {

// x * sigmoid(alpha * x), which the pass fuse_swish makes one swish.
struct SwishGate {
  Value* x;
  Node* sigmoid;
  Node* scale;  // The mul that gives alpha; null when alpha is 1.
  double alpha;
};

// Of a product that is one, in either order; nothing where others read the sigmoid, or a constant
// raises the rank.
std::optional<SwishGate> swish_gate(const Graph& graph, const Node& product);

}  // namespace hone
