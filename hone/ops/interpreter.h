// Runs a graph node by node with the operators' references: slow, plain, and what every target is
// compared with.
#pragma once

#include <functional>
#include <vector>

#include "hone/graph/graph.h"
#include "hone/ops/context.h"

namespace hone {

struct RunOptions {
  EvalOptions eval;
  // Called after each node of the outermost graph with its outputs, which it may replace by others
  // of the same type.
  std::function<void(const Node&, std::vector<Item>&)> after_node;
};

// The graph's outputs for `inputs`, one per graph input. BadInput when an input does not have the
// type its graph input declares, Unsupported when a node has no reference.
Result<std::vector<Item>> run_graph(const Graph& graph, std::vector<Item> inputs,
                                    const RunOptions& options = {});

// The item as the graph input takes it: with the input's quantization. BadInput when its type does
// not fit.
Result<Item> bind_input(const Value& input, Item item);

// Checks and evaluates one node on inputs that are all there; `values` are its inputs, null where
// left out.
Result<std::vector<Item>> run_node(const Node& node, const std::vector<const Item*>& inputs,
                                   const EvalOptions& options);

}  // namespace hone
