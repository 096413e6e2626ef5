#include "hone/quantize/insert_qdq.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "hone/passes/match.h"
#include "hone/quantize/quantize_weights.h"

namespace hone {
namespace {

Tensor zero_point_tensor(DType dtype, int32_t value) {
  if (dtype == DType::U8) return Tensor::scalar(static_cast<uint8_t>(value));
  if (dtype == DType::I16) return Tensor::scalar(static_cast<int16_t>(value));
  return Tensor::scalar(static_cast<int8_t>(value));
}

// TFLite joins the names of fused layers: the first says enough for what stands beside it.
std::string short_name(const Value& value) {
  return value.name.substr(0, value.name.find(';'));
}

// Of weights, so that the bias fits 32 bits in units of the products, with a bit to spare for
// their sum. Channels of almost nothing would have finer ones. Empty where no bias sets any.
std::vector<float> least_scales(const Node& node, float x_scale) {
  const Tensor* bias = constant_of(node, 2);
  const Shape& weights = node.inputs[1]->type.tensor.shape;
  const auto channels = weights[static_cast<size_t>(weight_axes(node).channels)];
  if (bias == nullptr || bias->dtype() != DType::F32 || bias->elements() != channels) return {};
  std::vector<float> least;
  for (const float b : bias->data<float>()) {
    const double scale = std::abs(double{b}) / x_scale / 0x1p30;
    least.push_back(scale < 0x1p100 ? static_cast<float>(scale) : 0);
  }
  return least;
}

class Inserter {
 public:
  Inserter(Graph& graph, const std::vector<QuantLayer>& layers, const Ranges& ranges)
      : graph_(graph), layers_(layers), ranges_(ranges) {
    for (const QuantLayer& layer : layers) {
      if (layer.scheme.quantizes_activations()) home_[layer.result] = layer.scheme;
    }
  }

  void run() {
    for (const QuantLayer& layer : layers_) quantize(layer);
    for (const QuantLayer& layer : layers_) quantize_readers(layer);
    for (size_t i = 0; i < graph_.outputs().size(); ++i) quantize_output(i);
    graph_.remove_unused_constants();
  }

 private:
  void quantize(const QuantLayer& layer) {
    float x_scale = 0;
    if (layer.scheme.quantizes_activations()) {
      for (const Use& use : layer.operands) {
        Value* made = pair_on(use.node->inputs[use.input], layer.scheme);
        if (made == nullptr) continue;
        graph_.set_input(use.node, use.input, made);
        x_scale = scales_[made];
      }
    }
    if (layer.kind == LayerKind::Weights) quantize_weights_of(layer, x_scale);
  }

  // The value after quantizing and dequantizing, which stand right behind it; null when its range
  // is not known.
  Value* pair_on(Value* value, const Scheme& scheme) {
    const auto home = home_.find(value);
    const bool foreign = home != home_.end() && home->second.activations != scheme.activations;
    if (!foreign) return pair(value, value, scheme);
    Value* at_home = pair(value, value, home->second);
    return at_home == nullptr ? nullptr : pair(value, at_home, scheme);
  }

  // `original` has the range, `from` is what is quantized.
  Value* pair(Value* original, Value* from, const Scheme& scheme) {
    const auto key = std::pair(from, scheme.activations);
    if (const auto made = made_.find(key); made != made_.end()) return made->second;
    const auto range = ranges_.find(original);
    if (range == ranges_.end()) return nullptr;
    const Quantization params = activation_params(range->second, scheme);
    const std::string name = short_name(*from);
    Value* scale = graph_.add_constant(name + ".scale", Tensor::scalar(params.scale()));
    Value* zero = graph_.add_constant(name + ".zero_point",
                                      zero_point_tensor(scheme.activations, params.zero_point()));
    const Shape shape = from->type.tensor.shape;
    Node* before = from->producer == nullptr ? graph_.node(0) : graph_.next(*from->producer);
    Node* quantize =
        graph_.add_node("quantize_linear", {from, scale, zero},
                        {ValueType(scheme.activations, shape)}, {}, name + ".q", before);
    Node* dequantize = graph_.add_node("dequantize_linear", {quantize->outputs[0], scale, zero},
                                       {ValueType(DType::F32, shape)}, {}, name + ".dq", before);
    scales_[dequantize->outputs[0]] = params.scale();
    return made_[key] = dequantize->outputs[0];
  }

  // Float operators that read what a layer gives: they read it quantized.
  void quantize_readers(const QuantLayer& layer) {
    if (!layer.scheme.quantizes_activations()) return;
    for (const Use& use : std::vector<Use>(layer.result->users)) {
      if (use.node->op == "quantize_linear") continue;
      if (Value* made = pair_on(layer.result, layer.scheme)) {
        graph_.set_input(use.node, use.input, made);
      }
    }
  }

  // So that the last layer runs on integers too.
  void quantize_output(size_t index) {
    Value* output = graph_.outputs()[index];
    const auto home = home_.find(output);
    if (home == home_.end()) return;
    Value* made = pair_on(output, home->second);
    if (made == nullptr) return;
    const std::string name = output->name;
    graph_.rename(output, name + ".float");
    graph_.rename(made, name);
    graph_.set_output(index, made);
  }

  void quantize_weights_of(const QuantLayer& layer, float x_scale) {
    Node& node = *layer.node;
    const Tensor weights = *node.inputs[1]->constant;
    const std::vector<float> least =
        x_scale > 0 ? least_scales(node, x_scale) : std::vector<float>();
    QuantizedWeights quantized = quantize_weights(weights, weight_axes(node), layer.scheme, least);
    const bool integer_sums = x_scale > 0 && quantized.block_size == 0;
    if (integer_sums) quantize_bias(node, quantized.scale, x_scale);
    set_dequantized(node, 1, std::move(quantized));
  }

  // In units of the products that it is added to.
  void quantize_bias(Node& node, const Tensor& weight_scale, float x_scale) {
    const Tensor* constant = constant_of(node, 2);
    if (constant == nullptr || constant->dtype() != DType::F32) return;
    const Tensor bias = *constant;
    std::vector<float> scales;
    for (const float scale : weight_scale.data<float>()) scales.push_back(scale * x_scale);
    if (scales.size() > 1 && bias.elements() != static_cast<int64_t>(scales.size())) return;
    Tensor stored(TensorType{DType::I32, bias.shape()});
    const auto q = stored.mutable_data<int32_t>();
    for (size_t i = 0; i < q.size(); ++i) {
      const double scale = scales[scales.size() == 1 ? 0 : i];
      const double steps = std::round(bias.data<float>()[i] / scale);
      // A bias that needs more than 31 bits stays float: cutting it would change the network.
      if (!(std::abs(steps) < 0x1p31)) return;
      q[i] = static_cast<int32_t>(steps);
    }
    QuantizedWeights quantized;
    quantized.scale = Tensor::of<float>(weight_scale.shape(), scales);
    quantized.zero_point = Tensor(TensorType{DType::I32, weight_scale.shape()});
    quantized.axis = bias.rank() - 1;
    quantized.stored = std::move(stored);
    set_dequantized(node, 2, std::move(quantized));
  }

  void set_dequantized(Node& node, size_t input, QuantizedWeights weights) {
    const std::string name = short_name(*node.inputs[input]);
    const Shape shape = weights.stored.shape();
    const bool per_tensor = weights.scale.rank() == 0;
    Value* q = graph_.add_constant(name + ".q", std::move(weights.stored));
    Value* scale = graph_.add_constant(name + ".scale", std::move(weights.scale));
    Value* zero = graph_.add_constant(name + ".zero_point", std::move(weights.zero_point));
    Attrs attrs;
    if (!per_tensor) attrs["axis"] = weights.axis;
    if (weights.block_size > 0) attrs["block_size"] = weights.block_size;
    Node* dequantize =
        graph_.add_node("dequantize_linear", {q, scale, zero}, {ValueType(DType::F32, shape)},
                        std::move(attrs), name + ".dq", &node);
    graph_.set_input(&node, input, dequantize->outputs[0]);
  }

  Graph& graph_;
  const std::vector<QuantLayer>& layers_;
  const Ranges& ranges_;
  std::unordered_map<const Value*, Scheme> home_;  // Of what layers give.
  std::map<std::pair<Value*, DType>, Value*> made_;
  std::unordered_map<const Value*, float> scales_;  // Of dequantized values.
};

}  // namespace

void insert_qdq(Graph& graph, const std::vector<QuantLayer>& layers, const Ranges& ranges) {
  Inserter(graph, layers, ranges).run();
}

}  // namespace hone
