// Convolutions and fully connected layers of int8 and uint8 values with constant weights.
#pragma once

#include <functional>

#include "hone/ops/conv/geometry.h"
#include "hone/targets/cuda/map_i8.h"
#include "hone/targets/cuda/quantized.h"

namespace hone::cuda {

struct WeightedI8 {
  const Node* node;
  ConvGeometry conv;                // Of a fully connected layer: rows are images of one pixel.
  std::vector<FixedPoint> factors;  // One per output channel.
  IntRange range;                   // Of the output.

  bool depthwise() const {
    return conv.groups > 1 && conv.groups == conv.in_channels && conv.groups == conv.out_channels;
  }
};

// Nothing when kernels do not take the node.
std::optional<WeightedI8> weighted_i8(const Node& node, const StepBuilder& builder);

// The nodes that only bring floats or channels that lie apart to the form in which the product loads
// them, nearest first: its own kernel does that. `alone`: whether a value has one reader only.
std::vector<const Node*> feeding_nodes(const WeightedI8& weighted, const StepBuilder& builder,
                                       const std::function<bool(const Value&)>& alone);

Step weighted_i8_step(const WeightedI8& weighted, const TailI8& tail, StepBuilder& builder);

}  // namespace hone::cuda
