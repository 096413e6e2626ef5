// Activations and residuals that are part of an operator, as operators of their own.
#pragma once

#include "hone/base/result.h"
#include "hone/graph/graph.h"

namespace hone {

// Puts a node between a node's output and everything that read it. The name goes to the new value,
// which is what the rest of the graph sees.
Node* add_after(Graph& graph, Node& node, size_t output, std::string_view op,
                std::vector<Value*> more_inputs, ValueType type, Attrs attrs);

// The type of what a quantized value stands for.
TensorType float_type(TensorType type);

void split_activation(Graph& graph, Node& node);
// conv(x, w, b, residual) as the sum of the two.
void split_residual(Graph& graph, Node& node);

}  // namespace hone
