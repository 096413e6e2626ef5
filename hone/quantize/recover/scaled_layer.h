// A layer whose weights and bias are being scaled channel by channel.
#pragma once

#include <vector>

#include "hone/quantize/recover/layer_chain.h"

namespace hone {

struct ScaledLayer {
  ProductLayer layer;
  InputChannels in;
  Tensor weight;
  Tensor bias;      // Without a type when the layer has none.
  double dead = 0;  // Channels of smaller weights do not count.
  // The mean square of each channel it reads; empty without samples.
  std::vector<double> input_squares;

  size_t input_count() const { return layer.groups * in.per_group; }
};

// Those with float weights have them loaded; the others have none.
std::vector<ScaledLayer> load_scaled(const Graph& graph);
void store_scaled(Graph& graph, const ScaledLayer& scaled);

// Calls fn(index) for the weights that make a channel of the result.
template <class Fn>
void for_output(const ScaledLayer& scaled, size_t channel, Fn&& fn) {
  const ProductLayer& layer = scaled.layer;
  for (size_t i = 0; i < layer.inputs; ++i) {
    fn(layer.weight_at(channel / layer.outputs, channel % layer.outputs, i));
  }
}

// The same for the weights that read a channel.
template <class Fn>
void for_input(const ScaledLayer& scaled, size_t channel, Fn&& fn) {
  const auto& [per_group, taps, nhwc] = scaled.in;
  for (size_t o = 0; o < scaled.layer.outputs; ++o) {
    for (size_t tap = 0; tap < taps; ++tap) {
      fn(scaled.layer.weight_at(channel / per_group, o,
                                scaled.in.input_at(channel % per_group, tap)));
    }
  }
}

// The largest weight of a channel of the result, or of one that is read.
double range_out(const ScaledLayer& scaled, size_t channel);
double range_in(const ScaledLayer& scaled, size_t channel);
// The widest channel to the narrowest that is not dead.
double ratio_out(const ScaledLayer& scaled);
double ratio_in(const ScaledLayer& scaled);

// What it makes becomes s times smaller; what it reads is s times smaller, which its weights undo.
void divide_out(ScaledLayer& scaled, size_t channel, double s);
void multiply_in(ScaledLayer& scaled, size_t channel, double s);

}  // namespace hone
