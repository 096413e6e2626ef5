#pragma once

#include "hone/targets/target.h"

namespace hone {

// Rewrites a graph for an engine: passes, the precision asked for, types inferred again. Gives the
// options as they then hold: how many threads, and how integers are rounded. Unsupported, before
// anything is rewritten, when a node that matters can run nowhere.
Result<CompileOptions> prepare_graph(Graph& graph, const CompileOptions& options);

// A tensor whose elements lie in memory that a plan can place.
bool is_plannable(const Value& value);

// A tensor without elements: some extent is 0.
bool is_empty(const Value& value);

// Nodes that give their first input's elements another shape, so that both can share memory.
bool is_view(const Node& node);

}  // namespace hone
