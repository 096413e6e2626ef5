#include "hone/quantize/recover/bias.h"

#include <algorithm>
#include <cmath>

#include "hone/passes/match.h"

namespace hone {
namespace {

// The scales of a dequantize_linear with one for the tensor or one per channel; nothing for others.
std::optional<std::vector<double>> bias_scales_of(const Node* dequantize, size_t channels) {
  if (dequantize == nullptr || dequantize->op != "dequantize_linear") return {};
  const Tensor* scale = constant_of(*dequantize, 1);
  if (scale == nullptr || attr_of<int64_t>(*dequantize, "block_size") != 0) return {};
  std::vector<double> scales = to_doubles(*scale);
  if (scales.size() == 1) scales.resize(channels, scales[0]);
  if (scales.size() != channels) return {};
  return scales;
}

// In units of the last place; what does not fit stays at the end of the range.
int32_t to_steps(double steps) {
  return static_cast<int32_t>(std::clamp(std::round(steps), -2147483647.0, 2147483647.0));
}

void shift_integers(Graph& graph, Node& dequantize, std::span<const double> shift) {
  const auto scales = *bias_scales_of(&dequantize, shift.size());
  Tensor stored = *dequantize.inputs[0]->constant;
  const auto q = stored.mutable_data<int32_t>();
  for (size_t i = 0; i < q.size(); ++i) q[i] = to_steps(q[i] + shift[i] / scales[i]);
  set_constant(graph, dequantize, 0, dequantize.inputs[0]->name + ".corrected", std::move(stored));
}

void shift_floats(Graph& graph, Node& node, std::span<const double> shift) {
  Tensor bias = *node.inputs[kLayerBias]->constant;
  const auto b = bias.mutable_data<float>();
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(b[i] + shift[i]);
  set_constant(graph, node, kLayerBias, node.inputs[kLayerBias]->name + ".corrected",
               std::move(bias));
}

void make_integers(Graph& graph, Node& node, std::span<const double> shift,
                   const std::vector<double>& scales) {
  const auto n = static_cast<int64_t>(shift.size());
  std::vector<int32_t> stored;
  std::vector<float> units;
  for (size_t i = 0; i < shift.size(); ++i) {
    units.push_back(static_cast<float>(scales[i]));
    stored.push_back(to_steps(shift[i] / double{units[i]}));
  }
  const std::string name = node.name + ".bias";
  Value* q = graph.add_constant(name + ".q", Tensor::of<int32_t>({n}, stored));
  Value* scale = graph.add_constant(name + ".scale", Tensor::of<float>({n}, units));
  Value* zero = graph.add_constant(name + ".zero_point", Tensor(TensorType{DType::I32, {n}}));
  Node* dequantize = add_inferred(graph, "dequantize_linear", {q, scale, zero},
                                  {{"axis", int64_t{0}}}, name + ".dq", &node);
  graph.inherit_origins(dequantize, node);
  while (node.inputs.size() <= kLayerBias) graph.add_input_to(&node, nullptr);
  graph.set_input(&node, kLayerBias, dequantize->outputs[0]);
}

}  // namespace

std::optional<std::string> fixed_bias(const ProductLayer& layer) {
  const Node& node = *layer.node;
  if (node.op == "matmul") return "a matmul has no bias";
  const Value* bias = input_of(node, kLayerBias);
  if (bias == nullptr) return {};
  const auto channels = static_cast<int64_t>(layer.channels());
  if (!bias->type.tensor.known() || bias->type.tensor.elements() != channels) {
    return "its bias is not one number per channel";
  }
  if (bias->constant) {
    if (bias->constant->dtype() == DType::F32) return {};
    return "its bias is neither float nor int32";
  }
  const Node* dequantize = made_by(bias, "dequantize_linear");
  const Tensor* stored = dequantize != nullptr ? constant_of(*dequantize, 0) : nullptr;
  if (stored == nullptr || !bias_scales_of(dequantize, layer.channels())) {
    return "its bias is computed";
  }
  if (stored->dtype() != DType::I32) return "its bias is neither float nor int32";
  if (bias->users.size() != 1) return "it shares its bias";
  return {};
}

void shift_bias(Graph& graph, const ProductLayer& layer, std::span<const double> shift) {
  Node& node = *layer.node;
  const Value* bias = input_of(node, kLayerBias);
  if (bias != nullptr && bias->constant) return shift_floats(graph, node, shift);
  if (bias != nullptr) return shift_integers(graph, *bias->producer, shift);
  const auto x = bias_scales_of(node.inputs[kLayerData]->producer, 1);
  auto w = bias_scales_of(layer.dequantize(), shift.size());
  if (x && w) {
    for (double& scale : *w) scale *= (*x)[0];
    return make_integers(graph, node, shift, *w);
  }
  const TensorType zeros{DType::F32, {static_cast<int64_t>(shift.size())}};
  set_constant(graph, node, kLayerBias, node.name + ".bias", Tensor(zeros));
  shift_floats(graph, node, shift);
}

}  // namespace hone
