// Which value of one network is which of another: two forms of the same model, say before and after
// quantization, have the same layers, but not the same values in memory.
#pragma once

#include <vector>

#include "hone/graph/graph.h"

namespace hone {

struct ValueMatch {
  const Node* node = nullptr;        // Of the candidate, that computes
  const Value* value = nullptr;      // this value,
  const Value* reference = nullptr;  // which is that of the reference.
  // In a QDQ graph the pair behind the value, whose result is what the layer gives; else null.
  const Node* quantize = nullptr;
  const Node* dequantize = nullptr;
};

// Values that are float or quantized and computed by nodes, in the candidate's running order. Names
// decide first; then the names of the source layers that nodes stand for, of which a node gives the
// last one's result. Shapes may differ by extents of 1 and by an image's layout. No value is in two
// matches.
std::vector<ValueMatch> match_values(const Graph& candidate, const Graph& reference);

// True when the layouts of the networks differ, by the values that fit in no other way.
bool layouts_differ(const std::vector<ValueMatch>& matches);

}  // namespace hone
