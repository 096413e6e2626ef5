// From what ran back to the user's own layers.
#pragma once

#include "hone/graph/graph.h"
#include "hone/profile/profile.h"

namespace hone {

// Fills in `sources` and `layers` from the graph's origins and the steps' `sources` and times.
// Layers that share a step are one group, since nobody can tell their times apart; a layer that
// became several steps gets the sum. Groups come in the order of the file. Which group reads of
// which is told as in join_layers.
void group_layers(const Graph& graph, Profile& profile);

// Fills in which groups read the values of which: the network as a graph of what was measured.
// Nodes that belong to no group are looked through.
void join_layers(const Graph& graph, Profile& profile);

}  // namespace hone
