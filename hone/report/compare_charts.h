// Pictures of a comparison as SVG, which takes its colours from the page around it.
#pragma once

#include <string>

#include "hone/profile/comparison.h"

namespace hone {

// Latency against energy, both logarithmic, with intervals, and the line of devices that no other
// one beats in these two. Empty when fewer than two devices have both. Where energies do not cover
// the same there is no line, and names say what theirs covers: "npu (chip)".
std::string latency_energy_chart(const DeviceComparison& comparison);

// A bar for each device, logarithmic, with its interval. Empty when no device has the figure.
std::string latency_bars(const DeviceComparison& comparison);
std::string energy_bars(const DeviceComparison& comparison);

// Text that means itself in HTML.
std::string html_plain(std::string_view text);

}  // namespace hone
