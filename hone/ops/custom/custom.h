#pragma once

#include <string>

namespace hone {

// What messages call an operator of a file: "com.microsoft.FusedConv", with its domain where that
// is not the format's own.
std::string custom_name(const std::string& domain, const std::string& op_type);

}  // namespace hone
