#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "hone/graph/graph.h"
#include "hone/ops/op_def.h"

namespace hone {

// A node that Hone cannot type or run, and the sentence that says why.
struct UnsupportedNode {
  const Node* node;
  std::string reason;
};

// Values that are no constants of the graph but follow from them or from static shapes; what
// fold_constants turns into constants.
using KnownValues = std::unordered_map<const Value*, Tensor>;

struct InferredTypes {
  std::vector<UnsupportedNode> unsupported;
  KnownValues known;
};

// Gives every value the type that follows from the graph's inputs, whatever the file states. An
// unsupported node, which nothing can run, keeps the declared types of its outputs; BadInput when a
// node contradicts its operator.
Result<InferredTypes> infer_types(Graph& graph);

// The same for one node whose inputs have their types; adds to `known` what follows.
Status infer_node(Node& node, KnownValues& known);

// A node's context from the types and constants of the graph, for cost functions.
InferContext static_context(const OpDef& op, const Node& node);

}  // namespace hone
