// Functions of one variable in a graph: nodes that compute one value from one other, element by
// element. x * sigmoid(x) is one, and so is GELU however it is spelled.
#pragma once

#include <optional>
#include <vector>

#include "hone/graph/graph.h"

namespace hone {

struct ElementwiseRegion {
  Value* source = nullptr;
  Value* result = nullptr;
  std::vector<Node*> nodes;  // In running order; only the last one's output is read elsewhere.
};

// The largest one that ends in `result`, or nothing. Constants in it have one element.
std::optional<ElementwiseRegion> region_ending_in(const Graph& graph, Value* result);

// relu or clip that alone reads what a convolution, a product or a sum of two activations gives:
// engines make it part of that, so no region begins with it.
bool is_fused_clamp(const Graph& graph, const Node& node);

}  // namespace hone
