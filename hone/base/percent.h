#pragma once

#include <string>

namespace hone {

// 0.125 -> "12.5 %".
std::string percent(double part, int digits = 1);

// "+12.5 %" for a rise, "-12.5 %" for a fall.
std::string signed_percent(double part);

// The same for a column that is headed by "%": "+12.5".
std::string signed_percent_figure(double part);

}  // namespace hone
