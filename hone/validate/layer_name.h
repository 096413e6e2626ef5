#pragma once

#include <string>

#include "hone/graph/graph.h"

namespace hone {

// What the user calls the node: the last of the source layers it stands for that is no conversion
// of numbers, or the node's own name where there is none.
std::string layer_name(const Graph& graph, const Node& node);

// The same for a line of a table: of names that converters joined by ';' the first, of a long path
// its end.
std::string short_layer_name(const std::string& name);

}  // namespace hone
