#pragma once

#include "hone/targets/target.h"

namespace hone {

// What an engine's kernels are like, as far as it matters to the graph they are given.
struct EngineTraits {
  bool wide_sums = false;  // Sums over halves are made in float32: norms can be in half precision.
  bool bfloats = false;    // Takes values of bfloat16, as it takes halves.
  // A convolution to any number of channels costs as many vectors: better several than a transpose.
  bool parts_channels = false;
};

// Rewrites a graph for an engine: passes, the precision asked for, types inferred again. Gives the
// options as they then hold: how many threads, and how integers are rounded. Unsupported, before
// anything is rewritten, when a node that matters can run nowhere.
Result<CompileOptions> prepare_graph(Graph& graph, const CompileOptions& options,
                                     const EngineTraits& traits = {});

// A tensor whose elements lie in memory that a plan can place.
bool is_plannable(const Value& value);

// A tensor without elements: some extent is 0.
bool is_empty(const Value& value);

// Nodes that give their first input's elements another shape, so that both can share memory.
bool is_view(const Node& node);

}  // namespace hone
