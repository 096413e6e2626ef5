#pragma once

#include <optional>
#include <string>

#include "hone/graph/graph.h"

namespace hone {

// Equal for nodes that compute the same from the same values; nothing for nodes that cannot be
// compared or must stay: random ones, those with subgraphs, those that make outputs of the graph.
std::optional<std::string> computation_key(const Graph& graph, const Node& node);

}  // namespace hone
