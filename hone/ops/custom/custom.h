#pragma once

#include <string>

#include "hone/base/hint.h"
#include "hone/graph/graph.h"

namespace hone {

// What messages call an operator of a file: "com.microsoft.FusedConv", with its domain where that
// is not the format's own.
std::string custom_name(const std::string& domain, const std::string& op_type);

// A custom node of one value can be given a meaning; of others there is no hint.
Hint hint_for_custom(const Node& node);

}  // namespace hone
