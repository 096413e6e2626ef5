// How far measured points may move a figure of a device.
#pragma once

#include <algorithm>

namespace hone {

inline double factor_in_bounds(double value) {
  constexpr double kMost = 30;
  return std::clamp(value, 1 / kMost, kMost);
}

inline double us_in_bounds(double value) {
  return std::clamp(value, 1e-3, 1e6);
}

// A time that the catalog has as nothing can still grow.
inline double us_to_start_from(double value) {
  constexpr double kLeast = 0.5;
  return std::max(kLeast, value);
}

}  // namespace hone
