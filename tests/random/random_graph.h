#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "hone/graph/graph.h"

namespace hone {

enum class GraphKind {
  Float,      // Layers of networks: convolutions, products, pools, activations, norms.
  Pairs,      // The same between Q/DQ pairs of 8 bits.
  Integer,    // Arithmetic on integers.
  Movement,   // Operators that only move elements, with extents of 0 now and then.
  Recurrent,  // LSTM, GRU, RNN.
};
inline constexpr GraphKind kGraphKinds[] = {GraphKind::Float, GraphKind::Pairs, GraphKind::Integer,
                                            GraphKind::Movement, GraphKind::Recurrent};
std::string_view name_of(GraphKind kind);

// The same kind and seed give the same graph on every machine.
Graph random_graph(GraphKind kind, uint64_t seed);

}  // namespace hone
