#pragma once

#include "hone/base/result.h"
#include "hone/graph/graph.h"

namespace hone {

// Reads what was written of a graph: inputs and outputs must have its names and types, and every
// operator must be one that Hone can run.
Status check_tflite(const Graph& graph, const std::string& bytes);

}  // namespace hone
