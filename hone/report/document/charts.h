// Charts as SVG that takes its colours from the page around it.
#pragma once

#include <string>

#include "hone/report/document/document.h"

namespace hone {

// As wide as there is room, in letters of one size: places are percentages. Empty without bars.
std::string svg_of(const BarChart& chart);
std::string svg_of(const PartsChart& chart);

// Empty where nothing adds up to more than 0.
std::string svg_of(const StackedChart& chart);

// Empty without a value above 0.
std::string svg_of(const StepChart& chart);

// Empty with fewer than two points.
std::string svg_of(const ScatterChart& chart);

}  // namespace hone
