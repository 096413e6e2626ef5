#include "hone/quantize/recover/scaled_layer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hone/passes/match.h"

namespace hone {
namespace {

// Channels whose weights are all below this part of the layer's largest are dead: what they make is
// their bias, which large factors would blow up.
constexpr double kDead = 1e-5;

template <class Fn>
double ratio(size_t channels, double dead, Fn&& range) {
  double smallest = std::numeric_limits<double>::infinity();
  double largest = 0;
  for (size_t c = 0; c < channels; ++c) {
    const double r = range(c);
    if (r >= dead) smallest = std::min(smallest, r);
    largest = std::max(largest, r);
  }
  return largest > 0 ? largest / smallest : 1;
}

}  // namespace

std::vector<ScaledLayer> load_scaled(const Graph& graph) {
  std::vector<ScaledLayer> layers;
  for (const ProductLayer& layer : layers_with_weights(graph)) {
    ScaledLayer& scaled = layers.emplace_back();
    scaled.layer = layer;
    scaled.in = input_channels(layer);
    if (const Tensor* bias = constant_of(*layer.node, kLayerBias)) scaled.bias = *bias;
    const Tensor* weight = constant_of(*layer.node, kLayerWeight);
    if (weight == nullptr) continue;
    scaled.weight = *weight;
    for (const float w : weight->data<float>()) {
      scaled.dead = std::max(scaled.dead, kDead * std::abs(double{w}));
    }
  }
  return layers;
}

void store_scaled(Graph& graph, const ScaledLayer& scaled) {
  Node& node = *scaled.layer.node;
  const auto set = [&](size_t input, const Tensor& tensor) {
    set_constant(graph, node, input, node.inputs[input]->name + ".equalized", tensor);
  };
  set(kLayerWeight, scaled.weight);
  if (scaled.bias.dtype() != DType::Undefined) set(kLayerBias, scaled.bias);
}

double range_out(const ScaledLayer& scaled, size_t channel) {
  float range = 0;
  const auto w = scaled.weight.data<float>();
  for_output(scaled, channel, [&](size_t i) { range = std::max(range, std::abs(w[i])); });
  return double{range};
}

double range_in(const ScaledLayer& scaled, size_t channel) {
  float range = 0;
  const auto w = scaled.weight.data<float>();
  for_input(scaled, channel, [&](size_t i) { range = std::max(range, std::abs(w[i])); });
  return double{range};
}

double ratio_out(const ScaledLayer& scaled) {
  return ratio(scaled.layer.channels(), scaled.dead,
               [&](size_t c) { return range_out(scaled, c); });
}

double ratio_in(const ScaledLayer& scaled) {
  return ratio(scaled.input_count(), scaled.dead, [&](size_t c) { return range_in(scaled, c); });
}

void divide_out(ScaledLayer& scaled, size_t channel, double s) {
  const auto w = scaled.weight.mutable_data<float>();
  for_output(scaled, channel, [&](size_t i) { w[i] = static_cast<float>(w[i] / s); });
  if (scaled.bias.dtype() == DType::Undefined) return;
  float& b = scaled.bias.mutable_data<float>()[channel];
  b = static_cast<float>(b / s);
}

void multiply_in(ScaledLayer& scaled, size_t channel, double s) {
  const auto w = scaled.weight.mutable_data<float>();
  for_input(scaled, channel, [&](size_t i) { w[i] = static_cast<float>(w[i] * s); });
  if (!scaled.input_squares.empty()) scaled.input_squares[channel] /= s * s;
}

}  // namespace hone
