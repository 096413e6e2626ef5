// Two layers that follow each other with nothing between that a positive factor per channel would
// not pass.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "hone/quantize/recover/layer.h"

namespace hone {

struct LayerChain {
  size_t first = 0;  // Indices of layers; the second alone reads what the first makes.
  size_t second = 0;
  // Values above are cut off on the way,
  double bound = std::numeric_limits<double>::infinity();
  Node* clip = nullptr;  // by this, or by the first layer's activation when null.
  // What the first layer makes, after the activation.
  const Value* activated = nullptr;

  bool bounded() const { return std::isfinite(bound); }
};

// Channels of the layer's input, and where the weights that read one of them are.
struct InputChannels {
  size_t per_group = 1;
  size_t taps = 1;
  bool nhwc = false;

  // Of a channel within its group.
  size_t input_at(size_t channel, size_t tap) const {
    return nhwc ? tap * per_group + channel : channel * taps + tap;
  }
  size_t channel_of(size_t input) const { return nhwc ? input % per_group : input / taps; }
};
InputChannels input_channels(const ProductLayer& layer);

// In running order. Weights are float constants, biases are constant or left out.
std::vector<LayerChain> find_chains(const Graph& graph, const std::vector<ProductLayer>& layers);

}  // namespace hone
