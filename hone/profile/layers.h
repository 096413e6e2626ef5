// From what ran back to the user's own layers.
#pragma once

#include "hone/graph/graph.h"
#include "hone/profile/profile.h"

namespace hone {

// Fills in `sources` and `layers` from the graph's origins and the steps' `sources` and times.
// Layers that share a step are one group, since nobody can tell their times apart; a layer that
// became several steps gets the sum. Groups come in the order of the file.
void group_layers(const Graph& graph, Profile& profile);

}  // namespace hone
