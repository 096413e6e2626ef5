// A convolution or fully connected layer with constant weights, and what is known of its results before it runs.
#pragma once

#include "hone/ops/conv/geometry.h"
#include "hone/targets/c_code/emitter.h"

namespace hone::c_code {

// No sum of a channel lies outside, whatever bytes x has.
struct SumRange {
  int64_t low = 0;
  int64_t high = 0;
};

struct Weighted {
  const Node& node;
  ConvGeometry conv;
  std::vector<int32_t> weights = {};     // [out channels][taps][in channels].
  std::vector<FixedPoint> factors = {};  // Of the sums of every channel.
  std::vector<int32_t> biases = {};      // Less what the zero point of x adds to every sum.
  std::vector<SumRange> sums = {};
  IntRange range = {};                 // Of the results.
  std::vector<int64_t> computed = {};  // Channels whose results are not always the same.
  std::vector<int8_t> results = {};    // Of the others; 0 for those.

  int64_t depth() const { return std::ssize(weights) / conv.out_channels; }
  int32_t weight(int64_t n, int64_t k) const {
    return weights[static_cast<size_t>(n * depth() + k)];
  }
  bool depthwise() const {
    return conv.groups > 1 && conv.groups == conv.in_channels && conv.groups == conv.out_channels;
  }
};

inline int64_t rounded_up(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

// Unsupported names what the kernels do not take.
Result<Weighted> weighted_layer(const Node& node, const CompileOptions& options);

// Of channel n, whose bias is known.
SumRange sum_range(const Weighted& layer, int64_t n);

// What becomes of a sum.
int8_t result_of(const Weighted& layer, int64_t n, int32_t sum, Rounding rounding);

}  // namespace hone::c_code
