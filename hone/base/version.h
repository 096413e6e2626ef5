#pragma once

#include <string_view>

namespace hone {

// "0.1.0", as the project line of the top CMakeLists.txt has it.
std::string_view version();

}  // namespace hone
