// Convolutions and fully connected layers of int8 and uint8 values.

#include "hone/ops/op_def.h"
#include "hone/ops/quant/weighted.h"
#include "hone/targets/cpu/depthwise_step.h"
#include "hone/targets/cpu/product_i8_step.h"

namespace hone::cpu {
namespace {

bool is_byte(const TensorType& type) {
  return type.quantized() && type.quant->per_tensor() &&
         (type.dtype == DType::I8 || type.dtype == DType::U8);
}

bool fits_conv_i8(const Node& node, const StepBuilder& builder) {
  const Value& x = *node.inputs[0];
  const Value& w = *node.inputs[1];
  const Value& y = *node.outputs[0];
  if (!builder.planned(&x) || !builder.planned(&y) || !w.constant) return false;
  const DType weights = w.constant->dtype();
  const bool has_bias = node.inputs.size() > 2 && node.inputs[2] != nullptr;
  const bool bias_fits =
      !has_bias || (node.inputs[2]->constant && node.inputs[2]->constant->dtype() == DType::I32);
  return is_byte(x.type.tensor) && is_byte(y.type.tensor) &&
         x.type.tensor.dtype == y.type.tensor.dtype && w.constant->type().quantized() &&
         (weights == DType::I8 || weights == DType::U8) && bias_fits;
}

const Tensor* bias_of(const Node& node) {
  const bool there = node.inputs.size() > 2 && node.inputs[2] != nullptr;
  return there ? &*node.inputs[2]->constant : nullptr;
}

// Where the output is cut, unless the activation is one that integers do not have.
std::optional<IntRange> range_of_output(const Node& node) {
  const NodeContext context(*find_op(node.op), node);
  const auto range = activation_range(context.text("activation"), node.outputs[0]->type.tensor);
  if (!range.ok()) return std::nullopt;
  return *range;
}

std::unique_ptr<Step> lower_conv_i8_node(const Node& node, StepBuilder& builder) {
  if (!fits_conv_i8(node, builder)) return nullptr;
  const NodeContext context(*find_op(node.op), node);
  const Value& x = *node.inputs[0];
  const Value& y = *node.outputs[0];
  const Tensor& weights = *node.inputs[1]->constant;
  const auto conv = conv_geometry(context, x.type.tensor.shape, weights.shape());
  const auto range = range_of_output(node);
  if (!conv.ok() || !conv->nhwc || conv->window.rank > 2 || !range) return nullptr;
  const std::vector<FixedPoint> factors =
      output_factors(x.type.tensor, weights.type(), y.type.tensor, conv->out_channels,
                     scale_product(x.type.tensor.dtype));
  const bool depthwise = conv->groups == conv->in_channels && conv->groups == conv->out_channels;
  if (depthwise && conv->groups > 1) {
    return make_depthwise_i8_step(*conv, weights, bias_of(node), factors, *range, &x, &y, builder);
  }
  ProductI8Spec spec;
  spec.window = WindowRows(*conv);
  spec.groups = static_cast<size_t>(conv->groups);
  spec.depth = static_cast<size_t>(conv->in_channels / conv->groups);
  spec.columns = static_cast<size_t>(conv->out_channels / conv->groups);
  spec.weights = weights;
  if (bias_of(node) != nullptr) spec.bias = *bias_of(node);
  spec.factors = factors;
  spec.range = *range;
  return make_product_i8_step(std::move(spec), &x, &y, builder);
}

std::unique_ptr<Step> lower_gemm_i8_node(const Node& node, StepBuilder& builder) {
  if (!fits_conv_i8(node, builder)) return nullptr;
  const NodeContext context(*find_op(node.op), node);
  const Value& x = *node.inputs[0];
  const Value& y = *node.outputs[0];
  const Tensor& weights = *node.inputs[1]->constant;
  const auto range = range_of_output(node);
  const bool plain = context.real("alpha") == 1 && context.real("beta") == 1 &&
                     context.integer("transA") == 0 && context.integer("transB") != 0;
  if (!plain || !range || weights.rank() != 2 || weights.elements() == 0) return nullptr;
  ProductI8Spec spec;
  spec.columns = static_cast<size_t>(weights.shape()[0]);
  spec.depth = static_cast<size_t>(weights.shape()[1]);
  const auto elements = static_cast<size_t>(x.type.tensor.elements());
  spec.window = WindowRows::dense(elements / spec.depth, spec.depth);
  spec.weights = weights;
  if (bias_of(node) != nullptr) spec.bias = *bias_of(node);
  spec.factors = output_factors(x.type.tensor, weights.type(), y.type.tensor, weights.shape()[0],
                                ScaleProduct::Float);
  spec.range = *range;
  return make_product_i8_step(std::move(spec), &x, &y, builder);
}

}  // namespace

extern const LoweringDef lower_conv_i8 = {.op = "conv", .lower = lower_conv_i8_node};
extern const LoweringDef lower_gemm_i8 = {.op = "gemm", .lower = lower_gemm_i8_node};

}  // namespace hone::cpu
