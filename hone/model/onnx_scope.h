// Names in ONNX graphs: which names a subgraph takes from around it, and an order of nodes in which
// every name is made before it is read.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "hone/base/result.h"
#include "hone/wire/onnx.h"

namespace hone {

// The names that `graph` reads but does not make, its own subgraphs included.
std::set<std::string> free_names(const OnnxGraph& graph);
// The same for all subgraphs of a node.
std::set<std::string> captured_names(const OnnxNode& node);

// The nodes so that each comes after those it reads from; the file's order where that allows.
// BadInput when nodes form a cycle.
Result<std::vector<const OnnxNode*>> in_running_order(const std::vector<OnnxNode>& nodes);

// What to call a node in messages: its name, or else that of its first output.
std::string label_of(const OnnxNode& node);

}  // namespace hone
