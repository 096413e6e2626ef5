// What quantizing two layers that follow each other adds to the result of the second.
#pragma once

#include <span>

#include "hone/quantize/recover/scaled_layer.h"

namespace hone {

struct PairPrecision {
  int weight_bits = 8;
  int activation_bits = 8;   // Of what is between the layers; 0: float.
  bool per_channel = false;  // A weight scale for every output channel.
};

// The squared error of the second layer's result, summed over its channels, when channel c between
// the layers is divided by factors[c] and multiplied behind:
//   weights of the first    what rounding each costs, times the mean square of what it is
//                           multiplied with, times the square of the second's weights;
//   values between          a twelfth of the squared step, which covers the largest channel, times
//                           the same weights;
//   weights of the second   as those of the first.
// Errors are taken as independent. `largest` is the magnitude that each channel reaches now.
// Requires input_squares of both layers.
double pair_noise(const ScaledLayer& first, const ScaledLayer& second,
                  std::span<const double> largest, std::span<const double> factors,
                  const PairPrecision& precision);

}  // namespace hone
