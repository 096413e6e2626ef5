#pragma once

#include <set>
#include <string>

#include "hone/graph/graph.h"

namespace hone {

// Shapes, as parse_shape_binding reads them, that would close the extents that inputs leave open:
// "ids:1x128 x:1x3x32x32"; empty where none are open. What is known stays; inputs whose symbols others
// bind are left out, and those named in `given`.
std::string example_shapes(const Graph& graph, const std::set<std::string>& given = {});

}  // namespace hone
