// Convolutions and fully connected layers with constant weights.

#include <cstring>

#include "hone/ops/conv/geometry.h"
#include "hone/ops/op_def.h"
#include "hone/ops/quant/weighted.h"
#include "hone/targets/npu/layer.h"

namespace hone::npu {
namespace {

const Tensor* bias_of(const Node& node) {
  const bool there = node.inputs.size() > 2 && node.inputs[2] != nullptr;
  return there && node.inputs[2]->constant ? &*node.inputs[2]->constant : nullptr;
}

// Bytes in, bytes out, constant 8-bit weights with one zero point, a 32-bit bias and nothing else.
bool fits(const Node& node) {
  const Value& x = *node.inputs[0];
  const Value& w = *node.inputs[1];
  const Value& y = *node.outputs[0];
  if (!is_byte(x) || !is_byte(y) || x.constant || !w.constant) return false;
  if (x.type.tensor.dtype != y.type.tensor.dtype || !w.constant->type().quantized()) return false;
  const DType weights = w.constant->dtype();
  if (weights != DType::I8 && weights != DType::U8) return false;
  for (size_t i = 2; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == nullptr) continue;
    const Tensor* bias = bias_of(node);
    if (i > 2 || bias == nullptr || bias->dtype() != DType::I32) return false;
  }
  const Quantization& quant = *w.constant->type().quant;
  return std::ranges::all_of(quant.zero_points,
                             [&](int32_t zero) { return zero == quant.zero_points[0]; });
}

void set_arithmetic(const Node& node, const EvalOptions& options, IntRange range,
                    sim::Product& product) {
  const TensorType& x = node.inputs[0]->type.tensor;
  const TensorType& w = node.inputs[1]->constant->type();
  const TensorType& y = node.outputs[0]->type.tensor;
  product.is_signed = x.dtype == DType::I8;
  product.signed_weights = w.dtype == DType::I8;
  product.input_zero = x.quant->zero_point();
  product.weight_zero = w.quant->zero_points.empty() ? 0 : w.quant->zero_points[0];
  product.stage = {.rounding = options.rounding,
                   .zero_point = y.quant->zero_point(),
                   .low = range.low,
                   .high = range.high};
}

// From [channels][products].
Weights weights_of(const Node& node, const std::vector<FixedPoint>& factors, bool depthwise) {
  const Tensor& stored = *node.inputs[1]->constant;
  Weights weights;
  weights.channels = std::ssize(factors);
  weights.products = stored.elements() / weights.channels;
  weights.depthwise = depthwise;
  weights.bytes.assign(stored.bytes().begin(), stored.bytes().end());
  if (depthwise) {
    for (int64_t channel = 0; channel < weights.channels; ++channel) {
      for (int64_t tap = 0; tap < weights.products; ++tap) {
        weights.bytes[static_cast<size_t>(tap * weights.channels + channel)] =
            stored.bytes()[static_cast<size_t>(channel * weights.products + tap)];
      }
    }
  }
  const Tensor* bias = bias_of(node);
  weights.bias.assign(factors.size(), 0);
  if (bias != nullptr) std::ranges::copy(bias->data<int32_t>(), weights.bias.begin());
  for (const FixedPoint factor : factors) {
    weights.multipliers.push_back(factor.multiplier);
    weights.shifts.push_back(factor.shift);
  }
  return weights;
}

std::optional<IntRange> range_of_output(const Node& node) {
  const NodeContext context(*find_op(node.op), node);
  const auto range = activation_range(context.text("activation"), node.outputs[0]->type.tensor);
  if (!range.ok()) return std::nullopt;
  return *range;
}

}  // namespace

std::optional<Layer> conv_layer(const Node& node, const EvalOptions& options) {
  const auto range = fits(node) ? range_of_output(node) : std::nullopt;
  if (!range) return std::nullopt;
  const NodeContext context(*find_op(node.op), node);
  const TensorType& x = node.inputs[0]->type.tensor;
  const TensorType& y = node.outputs[0]->type.tensor;
  const Tensor& weights = *node.inputs[1]->constant;
  const auto conv = conv_geometry(context, x.shape, weights.shape());
  if (!conv.ok() || !conv->nhwc || conv->window.rank > 2 || conv->batch != 1) return std::nullopt;
  const WindowAxis& height = conv->window.axes[1];
  const WindowAxis& width = conv->window.axes[2];
  Layer layer;
  layer.inputs = {{node.inputs[0], {height.in, width.in, conv->in_channels}}};
  layer.output.image = {height.out, width.out, conv->out_channels};
  layer.cuts_rows = true;
  sim::Product product;
  product.depthwise =
      conv->groups > 1 && conv->groups == conv->in_channels && conv->groups == conv->out_channels;
  layer.groups = product.depthwise ? 1 : conv->groups;
  layer.cuts_channels = product.depthwise;
  product.input = view_of(layer.inputs[0].image);
  product.output = view_of(layer.output.image);
  product.window = window_of(height, width);
  set_arithmetic(node, options, *range, product);
  layer.weights = weights_of(
      node, output_factors(x, weights.type(), y, conv->out_channels, scale_product(x.dtype)),
      product.depthwise);
  layer.work = product;
  return layer;
}

std::optional<Layer> gemm_layer(const Node& node, const EvalOptions& options) {
  const auto range = fits(node) ? range_of_output(node) : std::nullopt;
  if (!range) return std::nullopt;
  const NodeContext context(*find_op(node.op), node);
  const TensorType& x = node.inputs[0]->type.tensor;
  const TensorType& y = node.outputs[0]->type.tensor;
  const Tensor& weights = *node.inputs[1]->constant;
  const bool plain = context.real("alpha") == 1 && context.real("beta") == 1 &&
                     context.integer("transA") == 0 && context.integer("transB") != 0;
  if (!plain || weights.rank() != 2 || weights.elements() == 0) return std::nullopt;
  const int64_t columns = weights.shape()[0];
  const int64_t depth = weights.shape()[1];
  const int64_t rows = x.elements() / depth;
  Layer layer;
  layer.inputs = {{node.inputs[0], {rows, 1, depth}}};
  layer.output.image = {rows, 1, columns};
  layer.cuts_rows = true;
  sim::Product product;
  product.input = view_of(layer.inputs[0].image);
  product.output = view_of(layer.output.image);
  set_arithmetic(node, options, *range, product);
  layer.weights =
      weights_of(node, output_factors(x, weights.type(), y, columns, ScaleProduct::Float), false);
  layer.work = product;
  return layer;
}

}  // namespace hone::npu
