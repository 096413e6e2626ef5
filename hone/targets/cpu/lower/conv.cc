// Convolutions of floats in nhwc images with one or two spatial axes.

#include "hone/ops/op_def.h"
#include "hone/targets/common/fused.h"
#include "hone/targets/cpu/depthwise_step.h"
#include "hone/targets/cpu/gated_product.h"
#include "hone/targets/cpu/plane_conv_step.h"
#include "hone/targets/cpu/product_step.h"
#include "hone/targets/cpu/winograd_step.h"

namespace hone::cpu {
namespace {

bool fits_lower_conv(const Node& node, const StepBuilder& builder) {
  const Value& x = *node.inputs[0];
  const Value& w = *node.inputs[1];
  const TensorType& weights = w.type.tensor;
  const DType dtype = x.type.tensor.dtype;
  return (dtype == DType::F32 || dtype == DType::F16) && builder.planned(&x) &&
         builder.planned(node.outputs[0]) && (w.constant || builder.planned(&w)) &&
         weights.dtype == dtype && !weights.quantized() && weights.elements() > 0;
}

// Arm's CPUs multiply halves twice as fast as floats, which the direct form then makes more of. On
// x86-64 few can, and the others would be slower with halves than with floats.
#if defined(__x86_64__)
constexpr bool kHalvesTakeWinograd = true;
#else
constexpr bool kHalvesTakeWinograd = false;
#endif

const Value* optional_input(const Node& node, size_t index) {
  return index < node.inputs.size() ? node.inputs[index] : nullptr;
}

std::unique_ptr<Step> lower_conv_node(const Node& node, StepBuilder& builder) {
  if (!fits_lower_conv(node, builder)) return nullptr;
  if (auto step = make_plane_conv_step(node, builder)) return step;
  const NodeContext context(*find_op(node.op), node);
  const Value& weights = *node.inputs[1];
  const auto conv =
      conv_geometry(context, node.inputs[0]->type.tensor.shape, weights.type.tensor.shape);
  const auto activation = fused_activation(node);
  const Value* bias = optional_input(node, 2);
  const Value* residual = optional_input(node, 3);
  if (!conv.ok() || !conv->nhwc || conv->window.rank > 2 || !activation) return nullptr;
  if (bias != nullptr && !bias->constant && !builder.planned(bias)) return nullptr;
  const bool constant = weights.constant && (bias == nullptr || bias->constant);
  const bool depthwise = conv->groups == conv->in_channels && conv->groups == conv->out_channels;
  if (constant && depthwise && conv->groups > 1 && residual == nullptr) {
    return make_depthwise_step(*conv, *weights.constant,
                               bias == nullptr ? nullptr : &*bias->constant, *activation,
                               node.inputs[0], node.outputs[0], builder);
  }
  // With bfloat16 multiplicands the direct form is the faster one: on a Neoverse-V1 the 3x3 layers
  // of resnet50's stages 1, 2 and 3 take 1.03, 0.92 and 1.02 ms, in Winograd's form
  // (float32) 1.97, 1.50 and 2.15.
  const bool plain_float = constant &&
                           (weights.type.tensor.dtype == DType::F32 || kHalvesTakeWinograd) &&
                           !multiplies_in_bf16(builder.options());
  if (const auto tile = plain_float ? winograd_tile(*conv) : std::nullopt) {
    return make_winograd_step(*tile, *conv, *weights.constant,
                              bias == nullptr ? nullptr : &*bias->constant, *activation,
                              node.inputs[0], residual, node.outputs[0], builder);
  }
  ProductSpec spec;
  spec.window = WindowRows(*conv);
  spec.groups = static_cast<size_t>(conv->groups);
  spec.depth = static_cast<size_t>(conv->in_channels / conv->groups);
  spec.columns = static_cast<size_t>(conv->out_channels / conv->groups);
  spec.weights = &weights;
  spec.column_stride = spec.window.taps() * spec.depth;
  spec.bias = bias;
  spec.activation = *activation;
  const Value* x = node.inputs[0];
  if (const auto gated = gated_input(node, builder)) {
    x = gated->x;
    spec.gate = gated->gate;
  }
  return make_product_step(std::move(spec), x, residual, node.outputs[0], builder);
}

}  // namespace

extern const LoweringDef lower_conv = {.op = "conv", .lower = lower_conv_node};

}  // namespace hone::cpu
