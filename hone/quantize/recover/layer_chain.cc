#include "hone/quantize/recover/layer_chain.h"

#include <optional>
#include <unordered_map>

#include "hone/passes/match.h"

namespace hone {
namespace {

using Indices = std::unordered_map<const Node*, size_t>;

// Weights and bias can take up factors.
bool scalable(const ProductLayer& layer) {
  const Node& node = *layer.node;
  if (!node.inputs[kLayerWeight]->constant || node.inputs.size() > 3) return false;
  if (input_of(node, kLayerBias) == nullptr) return true;
  const Tensor* bias = constant_of(node, kLayerBias);
  return bias != nullptr && bias->dtype() == DType::F32 &&
         bias->elements() == static_cast<int64_t>(layer.channels());
}

// The layer's own activation lets positive factors through, up to the bound that is set.
bool set_own_bound(LayerChain& chain, const Node& node) {
  if (node.op == "matmul") return true;
  const auto activation = attr_of<std::string>(node, "activation");
  if (activation.empty() || activation == "relu" || activation == "leaky_relu") return true;
  if (activation == "relu6") chain.bound = 6;
  if (activation == "clip") {
    const auto params = attr_of<Floats>(node, "activation_params");
    if (params[0] != 0) return false;
    chain.bound = params[1];
  }
  return activation == "relu6" || activation == "clip";
}

bool set_clip_bound(LayerChain& chain, Node& clip) {
  if (chain.bounded() || !is_number(input_of(clip, 1), 0, 0)) return false;
  if (input_of(clip, 2) == nullptr) return true;
  const auto high = number_of(clip.inputs[2]);
  if (!high) return false;
  chain.bound = *high;
  chain.clip = &clip;
  return true;
}

// [N, C, 1, 1] to [N, C].
bool flattens_one_pixel(const Node& node, size_t channels) {
  const TensorType& from = node.inputs[0]->type.tensor;
  const TensorType& to = node.outputs[0]->type.tensor;
  return node.op == "flatten" && from.ranked && from.rank() > 2 && to.rank() == 2 &&
         to.shape[1] == static_cast<int64_t>(channels);
}

bool is_pool(const Node& node) {
  return kind_of(node) == OpKind::Pool && node.outputs.size() == 1;
}

bool is_chain_activation(LayerChain& chain, Node& node) {
  return node.op == "relu" || node.op == "leaky_relu" ||
         (node.op == "clip" && set_clip_bound(chain, node));
}

// Channels are on the same axis of what the first makes and the second reads.
bool same_axis(const ProductLayer& first, const ProductLayer& second, bool flattened) {
  if (first.node->op != "conv") return second.node->op != "conv" && !flattened;
  if (second.node->op != "conv") return flattened;
  return !flattened && channels_last(first) == channels_last(second);
}

std::optional<LayerChain> chain_from(const Graph& graph, const std::vector<ProductLayer>& layers,
                                     const Indices& indices, size_t first) {
  LayerChain chain{.first = first, .activated = layers[first].node->outputs[0]};
  if (!scalable(layers[first]) || !set_own_bound(chain, *layers[first].node)) return {};
  bool flattened = false;
  const Value* value = layers[first].node->outputs[0];
  for (;;) {
    if (!read_once(graph, *value) || value->users[0].input != 0) return {};
    Node& reader = *value->users[0].node;
    if (const auto found = indices.find(&reader); found != indices.end()) {
      chain.second = found->second;
      break;
    }
    if (flattens_one_pixel(reader, layers[first].channels())) {
      flattened = true;
    } else if (is_chain_activation(chain, reader)) {
      chain.activated = reader.outputs[0];
    } else if (!is_pool(reader)) {
      return {};
    }
    value = reader.outputs[0];
  }
  const ProductLayer& second = layers[chain.second];
  const bool fits = input_channels(second).per_group * second.groups == layers[first].channels() &&
                    second.node->inputs[kLayerWeight]->constant;
  if (!fits || !same_axis(layers[first], second, flattened)) return {};
  return chain;
}

}  // namespace

InputChannels input_channels(const ProductLayer& layer) {
  InputChannels channels{.per_group = layer.inputs};
  if (layer.node->op != "conv") return channels;
  const Shape& shape = layer.node->inputs[kLayerWeight]->type.tensor.shape;
  channels.nhwc = channels_last(layer);
  channels.per_group = static_cast<size_t>(channels.nhwc ? shape.back() : shape[1]);
  channels.taps = layer.inputs / channels.per_group;
  return channels;
}

std::vector<LayerChain> find_chains(const Graph& graph, const std::vector<ProductLayer>& layers) {
  Indices indices;
  for (size_t i = 0; i < layers.size(); ++i) indices[layers[i].node] = i;
  std::vector<LayerChain> chains;
  for (size_t i = 0; i < layers.size(); ++i) {
    if (auto chain = chain_from(graph, layers, indices, i)) chains.push_back(*chain);
  }
  return chains;
}

}  // namespace hone
