#pragma once

#include <span>

#include "hone/quantize/layers.h"

namespace hone {

// Weights as a dequantize_linear reads them.
struct QuantizedWeights {
  Tensor stored;
  Tensor scale;       // A number, one per channel, or one per block of inputs and channel.
  Tensor zero_point;  // Of the shape of the scales; 0, or 128 for uint8.
  int64_t axis = 0;
  int64_t block_size = 0;
};

// Rounded to the nearest. The largest weight of a scale is the largest integer; 4-bit scales are
// the ones with the least squared error. Scales are no smaller than `least`, one for each channel
// or empty; those of weights that are all zero are as large as the largest.
QuantizedWeights quantize_weights(const Tensor& weights, WeightAxes axes, const Scheme& scheme,
                                  std::span<const float> least = {});

}  // namespace hone
