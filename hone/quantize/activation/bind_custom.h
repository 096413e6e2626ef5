// Operators that no file format knows, given a meaning by the user.
#pragma once

#include <string>

#include "hone/base/result.h"
#include "hone/graph/graph.h"
#include "hone/quantize/activation/expression.h"

namespace hone {

// Whether bind_custom_op would find a node of that name.
bool has_custom_op(const Graph& graph, const std::string& name);

// Puts the expression, as operators that every target has, in the place of each custom node of that
// name: "com.example.SwishBeta", or "SwishBeta" whatever its domain. Names in the expression are
// those of the node's own attributes: "x*sigmoid(beta*x)". Types of what follows are inferred anew.
// Gives the number of nodes; BadInput when there is none, when the expression is none, or when a
// node has other than one input and one output.
Result<int> bind_custom_op(Graph& graph, const std::string& name, const std::string& expression);

}  // namespace hone
