#pragma once

#include <string>

#include "hone/profile/comparison.h"

namespace hone {

// A comparison as one HTML file that loads nothing: charts, the table, and what the numbers stand
// for. `command` is what made it.
std::string compare_page(const DeviceComparison& comparison, const std::string& command);

}  // namespace hone
