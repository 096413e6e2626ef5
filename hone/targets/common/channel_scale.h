// Batch norms with known statistics: a product and a sum per channel.
#pragma once

#include <optional>
#include <vector>

#include "hone/graph/graph.h"

namespace hone {

struct ChannelScale {
  std::vector<float> scale;
  std::vector<float> shift;
  size_t axis = 0;  // That channels are along.
};

// Nothing where statistics are of the batch, a parameter is computed in the run, or floats do not
// hold what comes out of them. Requires a batch_norm whose input has a known shape.
std::optional<ChannelScale> channel_scale(const Node& norm);

}  // namespace hone
