// Charts as SVG that takes its colours from the page around it.
#pragma once

#include <string>

#include "hone/report/document/document.h"

namespace hone {

// As wide as there is room, in letters of one size: places are percentages. Empty without bars.
std::string svg_of(const BarChart& chart);
std::string svg_of(const PartsChart& chart);

// Empty with fewer than two points.
std::string svg_of(const ScatterChart& chart);

}  // namespace hone
