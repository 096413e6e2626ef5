#pragma once

#include <string>
#include <string_view>

namespace hone {

// "9.0" of "NVIDIA H200": nsys names a GPU and not always what it can do. Empty: not known.
std::string nsight_capability(std::string_view gpu);

}  // namespace hone
