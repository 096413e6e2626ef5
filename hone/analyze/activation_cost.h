// What activations cost an element, measured on the kernels when somebody asks.
#pragma once

#include <string>

#include "hone/graph/graph.h"

namespace hone {

// The activation that a node is, or has fused into it: "swish"; empty when it has none.
std::string activation_of(const Node& node);

// One of nearly the same shape that costs less: hard_swish for swish. Empty when there is none.
std::string cheaper_activation(const std::string& name);

// Nanoseconds an element on one core, for floats in the first-level cache.
double activation_ns(const std::string& name);

}  // namespace hone
