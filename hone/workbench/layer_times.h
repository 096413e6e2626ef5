#pragma once

#include <string>
#include <unordered_map>

#include "hone/base/result.h"
#include "hone/graph/graph.h"

namespace hone {

// Microseconds of a run by the name of the node that a step runs.
using LayerTimes = std::unordered_map<std::string, double>;

// Measured on one thread in about a second, or what the model of a device that is not here says.
Result<LayerTimes> layer_times(const Graph& graph, const std::string& target,
                               const std::vector<Item>& inputs);

// 0 for a layer that no step runs by itself.
double us_of(const LayerTimes& times, const std::string& layer);

}  // namespace hone
