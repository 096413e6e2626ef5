#include "hone/quantize/silence_channels.h"

#include <algorithm>
#include <cmath>

#include "hone/passes/match.h"

namespace hone {
namespace {

constexpr double kMargin = 2;  // On the largest input that was seen.

// relu, or clip from zero on, that alone reads the value.
const Node* clamp_after(const Graph& graph, const Value& value) {
  if (!read_once(graph, value)) return nullptr;
  const Node* reader = value.users[0].node;
  if (reader->op == "relu") return reader;
  const bool from_zero = reader->op == "clip" && is_number(input_of(*reader, 1), 0, 0);
  return from_zero ? reader : nullptr;
}

// A conv with constant weights, the only reader of the value.
Node* conv_after(const Graph& graph, const Value& value) {
  if (!read_once(graph, value)) return nullptr;
  const Use use = value.users[0];
  const bool fits =
      use.node->op == "conv" && use.input == 0 && constant_of(*use.node, 1) != nullptr;
  return fits ? use.node : nullptr;
}

// Output channels of a conv that stay at or below zero.
std::vector<size_t> dead_channels(const Node& conv, double largest_input) {
  const Tensor& weights = *constant_of(conv, 1);
  const Tensor* bias = constant_of(conv, 2);
  if (bias == nullptr || weights.dtype() != DType::F32) return {};
  const auto channels = static_cast<size_t>(weights.shape()[0]);
  const size_t each = static_cast<size_t>(weights.elements()) / channels;
  std::vector<size_t> dead;
  for (size_t c = 0; c < channels; ++c) {
    double reach = bias->data<float>()[c];
    for (const float w : weights.data<float>().subspan(c * each, each)) {
      reach += std::abs(double{w}) * largest_input;
    }
    if (reach <= 0) dead.push_back(c);
  }
  return dead;
}

// Zero where `reader` multiplies input channel `channel`. False when it already is, or when the
// reader has groups of several channels.
bool clear_weights(Graph& graph, Node& reader, size_t channel) {
  Tensor weights = *constant_of(reader, 1);
  const auto groups = static_cast<size_t>(attr_of<int64_t>(reader, "group"));
  const auto outputs = static_cast<size_t>(weights.shape()[0]);
  const auto inputs = static_cast<size_t>(weights.shape()[1]);
  const bool depthwise = groups == outputs && inputs == 1;
  if (groups != 1 && !depthwise) return false;
  const size_t taps = static_cast<size_t>(weights.elements()) / outputs / inputs;
  bool changed = false;
  const auto values = weights.mutable_data<float>();
  for (size_t o = 0; o < outputs; ++o) {
    if (depthwise && o != channel) continue;
    const size_t at = (o * inputs + (depthwise ? 0 : channel)) * taps;
    for (float& w : values.subspan(at, taps)) {
      changed = changed || w != 0;
      w = 0;
    }
  }
  if (changed) set_constant(graph, reader, 1, reader.inputs[1]->name, std::move(weights));
  return changed;
}

}  // namespace

int silence_dead_channels(Graph& graph, const Calibration& calibration) {
  int silenced = 0;
  for (Node* node : graph.nodes()) {
    if (node->op != "conv" || constant_of(*node, 1) == nullptr) continue;
    const auto seen = calibration.seen.find(node->inputs[0]->name);
    const Node* clamp = clamp_after(graph, *node->outputs[0]);
    if (seen == calibration.seen.end() || clamp == nullptr) continue;
    Node* reader = conv_after(graph, *clamp->outputs[0]);
    if (reader == nullptr) continue;
    const Range range = seen->second.range;
    const double largest = kMargin * std::max(std::abs(range.low), std::abs(range.high));
    for (const size_t channel : dead_channels(*node, largest)) {
      silenced += clear_weights(graph, *reader, channel) ? 1 : 0;
    }
  }
  return silenced;
}

}  // namespace hone
