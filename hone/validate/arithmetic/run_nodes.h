#pragma once

#include <functional>

#include "hone/ops/interpreter.h"

namespace hone {

// How a node computes: its inputs, null where left out, to its outputs.
using NodeRunner =
    std::function<Result<std::vector<Item>>(const Node&, const std::vector<const Item*>&)>;

// As run_graph does it, with `run` in place of the operators' references: for arithmetic that
// operators themselves do not have. `after` may be empty.
Result<std::vector<Item>> run_nodes(
    const Graph& graph, std::vector<Item> inputs, const NodeRunner& run,
    const std::function<void(const Node&, const std::vector<Item>&)>& after);

}  // namespace hone
