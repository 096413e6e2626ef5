#include "hone/quantize/recover/layer.h"

#include <algorithm>
#include <unordered_map>

#include "hone/ops/interpreter.h"
#include "hone/passes/match.h"

namespace hone {
namespace {

bool constant_weights(const Value* weight) {
  if (weight == nullptr || !weight->type.is_tensor() || !weight->type.tensor.known()) return false;
  if (weight->type.tensor.dtype != DType::F32 || weight->type.tensor.elements() == 0) return false;
  if (weight->constant) return true;
  const Node* dequantize = made_by(weight, "dequantize_linear");
  return dequantize != nullptr && constant_of(*dequantize, 0) != nullptr &&
         constant_of(*dequantize, 1) != nullptr &&
         (input_of(*dequantize, 2) == nullptr || constant_of(*dequantize, 2) != nullptr);
}

// Weights of [k, n], or of [n, k] when transposed.
void set_matrix(ProductLayer& layer, const Shape& shape, bool transposed) {
  layer.inputs = static_cast<size_t>(shape[transposed ? 1 : 0]);
  layer.outputs = static_cast<size_t>(shape[transposed ? 0 : 1]);
  layer.output_stride = transposed ? layer.inputs : 1;
  layer.input_stride = transposed ? 1 : layer.outputs;
}

void set_conv(ProductLayer& layer, const Shape& shape) {
  layer.groups = static_cast<size_t>(attr_of<int64_t>(*layer.node, "group"));
  layer.outputs = static_cast<size_t>(shape[0]) / layer.groups;
  layer.inputs = static_cast<size_t>(elements(shape) / shape[0]);
  layer.output_stride = layer.inputs;
  layer.input_stride = 1;
}

bool plain_product(const Node& gemm) {
  return attr_of<int64_t>(gemm, "transA") == 0 && attr_of<double>(gemm, "alpha") == 1 &&
         attr_of<double>(gemm, "beta") == 1;
}

using ByName = std::unordered_map<std::string, std::vector<const ProductLayer*>>;

const ProductLayer* only_of_layer(const ByName& layers, const std::string& name) {
  const auto found = layers.find(name);
  return found != layers.end() && found->second.size() == 1 ? found->second[0] : nullptr;
}

}  // namespace

bool channels_last(const ProductLayer& layer) {
  return layer.node->op != "conv" || attr_of<std::string>(*layer.node, "layout") == "nhwc";
}

std::optional<ProductLayer> layer_of(Node& node) {
  ProductLayer layer{.node = &node};
  if (integer_form(node) != IntegerForm::Weights) return {};
  if (!constant_weights(input_of(node, kLayerWeight)) || !makes_floats(node)) return {};
  const Shape& shape = node.inputs[kLayerWeight]->type.tensor.shape;
  if (node.op == "conv") {
    set_conv(layer, shape);
  } else if (node.op == "gemm" ? plain_product(node) : shape.size() == 2) {
    set_matrix(layer, shape, node.op == "gemm" && attr_of<int64_t>(node, "transB") != 0);
  } else {
    return {};
  }
  return layer;
}

std::vector<ProductLayer> layers_with_weights(const Graph& graph) {
  std::vector<ProductLayer> layers;
  for (Node* node : graph.nodes()) {
    if (const auto layer = layer_of(*node)) layers.push_back(*layer);
  }
  return layers;
}

std::vector<int> levels_of(const Graph& graph, const std::vector<ProductLayer>& layers) {
  std::unordered_map<const Value*, int> level_of_value;
  std::vector<int> levels;
  for (const Node* node : graph.nodes()) {
    int level = 0;
    for (const Value* input : node->inputs) {
      if (input != nullptr) level = std::max(level, level_of_value[input]);
    }
    if (levels.size() < layers.size() && layers[levels.size()].node == node) {
      levels.push_back(++level);
    }
    for (const Value* output : node->outputs) level_of_value[output] = level;
  }
  return levels;
}

std::optional<Tensor> float_constant(const Value* value) {
  if (value == nullptr) return {};
  if (value->constant) return *value->constant;
  const Node* dequantize = made_by(value, "dequantize_linear");
  if (dequantize == nullptr) return {};
  std::vector<Item> items;
  for (size_t i = 0; i < dequantize->inputs.size(); ++i) {
    const Tensor* constant = constant_of(*dequantize, i);
    if (constant == nullptr && dequantize->inputs[i] != nullptr) return {};
    items.push_back(constant == nullptr ? Item() : Item(*constant));
  }
  std::vector<const Item*> inputs;
  for (const Item& item : items) inputs.push_back(item.absent() ? nullptr : &item);
  auto outputs = run_node(*dequantize, inputs, {});
  if (!outputs.ok()) return {};
  return std::move((*outputs)[0].tensor);
}

LayerMatch match_layers(const Graph& quantized, const Graph& original) {
  const std::vector<ProductLayer> floats = layers_with_weights(original);
  const std::vector<ProductLayer> layers = layers_with_weights(quantized);
  ByName floats_by_node;
  ByName floats_by_result;
  ByName layers_by_node;
  for (const ProductLayer& layer : floats) {
    floats_by_node[layer.node->name].push_back(&layer);
    floats_by_result[layer.node->outputs[0]->name].push_back(&layer);
  }
  for (const ProductLayer& layer : layers) layers_by_node[layer.node->name].push_back(&layer);

  LayerMatch match;
  for (const ProductLayer& layer : layers) {
    const Node* dequantize = layer.dequantize();
    if (dequantize == nullptr) continue;
    const std::string& name = layer.node->name;
    const bool unique = only_of_layer(layers_by_node, name) != nullptr;
    const ProductLayer* partner = unique ? only_of_layer(floats_by_node, name) : nullptr;
    if (partner == nullptr) partner = only_of_layer(floats_by_result, layer.node->outputs[0]->name);
    const Shape& shape = layer.node->inputs[kLayerWeight]->type.tensor.shape;
    if (partner == nullptr || partner->node->op != layer.node->op ||
        !partner->node->inputs[kLayerWeight]->constant ||
        partner->node->inputs[kLayerWeight]->type.tensor.shape != shape) {
      match.skipped.push_back({name, "no such layer in the float graph"});
    } else if (dequantize->outputs[0]->users.size() != 1) {
      match.skipped.push_back({name, "shares its weights"});
    } else {
      match.pairs.push_back({layer, *partner});
    }
  }
  return match;
}

}  // namespace hone
