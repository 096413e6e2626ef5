#pragma once

#include <string_view>

#include "hone/graph/graph.h"

namespace hone {

// Requires a convolution.
bool is_channels_last(const Node& conv);
bool is_depthwise(const Node& conv);

// Of a step's arithmetic: int8 where it reads or writes bytes, fp16 where it makes halves, otherwise
// `floats`.
std::string_view precision_of(const Node& node, std::string_view floats);

}  // namespace hone
