// How ONNX's integer operators round: to nearest, ties to even, then the zero point is added and
// the sum is cut to the type's range.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace hone {

// NaN becomes the zero point.
inline int64_t round_and_saturate(float value, int64_t zero_point, int64_t lowest,
                                  int64_t highest) {
  if (std::isnan(value)) return std::clamp(zero_point, lowest, highest);
  // Beyond 2^32 nothing but saturation can follow, whatever the zero point.
  const float bounded = std::clamp(value, -4294967296.0f, 4294967296.0f);
  return std::clamp(static_cast<int64_t>(std::nearbyint(bounded)) + zero_point, lowest, highest);
}

template <class T>
T round_and_saturate(float value, int64_t zero_point) {
  return static_cast<T>(round_and_saturate(value, zero_point, std::numeric_limits<T>::min(),
                                           std::numeric_limits<T>::max()));
}

}  // namespace hone
