// How operators change when a transpose moves from before them to behind them:
//   f(transpose(x, perm)) = transpose(f'(x), perm')
#pragma once

#include <optional>
#include <string_view>

#include "hone/graph/graph.h"

namespace hone {

// f' as a change of f, and the transpose behind it.
struct Sinking {
  Ints perm;                                              // perm'; of every output.
  Attrs attrs = {};                                       // To set.
  std::vector<std::pair<size_t, Tensor>> constants = {};  // To read instead, by input.
};

struct SinkRule {
  std::string_view op;
  // False: input 0 is transposed, the others are parameters. True: all inputs broadcast together or
  // are alike, and are transposed the same way.
  bool all_inputs;
  // Null: perm' is perm and nothing changes. Nothing is returned when the node must stay.
  std::optional<Sinking> (*plan)(const Node& node, const Ints& perm);
};

// Null when a transpose cannot pass the operator.
const SinkRule* find_sink_rule(const Node& node);

}  // namespace hone
