#include "hone/targets/npu/operations/product_layer.h"

#include <algorithm>

#include "hone/ops/op_def.h"

namespace hone::npu {
namespace {

const Tensor* bias_of(const Node& node) {
  const bool there = node.inputs.size() > 2 && node.inputs[2] != nullptr;
  return there && node.inputs[2]->constant ? &*node.inputs[2]->constant : nullptr;
}

// Bytes in, bytes out, constant 8-bit weights with one zero point, a 32-bit bias and nothing else.
bool fits_product_layer(const Node& node) {
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

}  // namespace

std::optional<IntRange> product_range(const Node& node) {
  if (!fits_product_layer(node)) return std::nullopt;
  const NodeContext context(*find_op(node.op), node);
  const auto range = activation_range(context.text("activation"), node.outputs[0]->type.tensor);
  if (!range.ok()) return std::nullopt;
  return *range;
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

Weights weights_of(const Node& node, int64_t channels, ScaleProduct scales) {
  const Tensor& stored = *node.inputs[1]->constant;
  return {.stored = &stored,
          .bias = bias_of(node),
          .scales = scales,
          .channels = channels,
          .products = stored.elements() / channels};
}

}  // namespace hone::npu
