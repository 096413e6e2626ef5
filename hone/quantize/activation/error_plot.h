#pragma once

#include <functional>
#include <string>

#include "hone/quantize/activation/quantized_function.h"

namespace hone {

// The function, its implementation and the error at every code, as an SVG picture.
std::string error_plot(const QuantizedFunction& function,
                       const std::function<int32_t(int32_t)>& implementation,
                       const std::string& title);

}  // namespace hone
