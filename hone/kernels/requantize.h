#pragma once

#include <cstdint>

#include "hone/tensor/fixed_point.h"

namespace hone {

// How int32 sums become int8 or uint8 outputs:
//   y = clamp(scale_by(sum, {multiplier[o], shift[o]}, rounding) + zero_point, low, high)
// with one factor per output channel o. Every variant of a kernel gives exactly these bits, for all
// three roundings.
struct Requantization {
  const int32_t* multipliers;  // As in FixedPoint.
  const int32_t* shifts;       // As in FixedPoint: positive to the left.
  Rounding rounding;
  int32_t zero_point;
  int32_t low;
  int32_t high;
};

}  // namespace hone
