// Layers with constant weights, float or behind a dequantize_linear, and how their weights lie.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hone/graph/graph.h"

namespace hone {

inline constexpr size_t kLayerData = 0, kLayerWeight = 1, kLayerBias = 2;

// A conv, gemm or matmul seen as products: every output of a group is the sum over the group's
// inputs (channels times taps) of input times weight.
struct ProductLayer {
  Node* node = nullptr;
  size_t groups = 1;
  size_t inputs = 0;   // Per group.
  size_t outputs = 0;  // Per group.
  size_t output_stride = 0;
  size_t input_stride = 0;

  size_t channels() const { return groups * outputs; }
  // Of the weight from an input to a channel of the result, both counted within the group.
  size_t weight_at(size_t group, size_t output, size_t input) const {
    return (group * outputs + output) * output_stride + input * input_stride;
  }
  // The dequantize_linear of its weights, or null when they are float.
  Node* dequantize() const { return node->inputs[kLayerWeight]->producer; }
};

// Of the layer's result; where it has two axes, channels are on both the second and the last.
bool channels_last(const ProductLayer& layer);

// Nothing when the node is no such layer: other operators, computed weights, transposed or scaled
// products.
std::optional<ProductLayer> layer_of(Node& node);
std::vector<ProductLayer> layers_with_weights(const Graph& graph);

// How many layers with weights lie on the longest way from an input to each of `layers`, itself
// included; they are in running order. Layers of one level do not see each other.
std::vector<int> levels_of(const Graph& graph, const std::vector<ProductLayer>& layers);

// The elements of a constant, or of a dequantize_linear of constants; nothing for other values.
std::optional<Tensor> float_constant(const Value* value);

// A layer of a quantized graph and the float layer it was made from.
struct LayerPair {
  ProductLayer quantized;
  ProductLayer original;
};

struct SkippedLayer {
  std::string name;
  std::string reason;
};

struct LayerMatch {
  std::vector<LayerPair> pairs;  // In running order of the quantized graph.
  std::vector<SkippedLayer> skipped;
};

// Pairs layers by the name of their nodes or, where that is not unique, of their results. Layers of
// `quantized` whose weights are float are passed over; those without a partner of the same weights'
// shape are skipped, as are those that share their weights.
LayerMatch match_layers(const Graph& quantized, const Graph& original);

}  // namespace hone
