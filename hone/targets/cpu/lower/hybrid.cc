// Convolutions and fully connected layers of floats with constant int8 weights.

#include "hone/ops/conv/conv_quantized.h"
#include "hone/ops/op_def.h"
#include "hone/targets/common/fused.h"
#include "hone/targets/cpu/hybrid_step.h"

namespace hone::cpu {
namespace {

// Of rank 2 and above, channels first; null when the kernels do not take the node.
const Tensor* weights_of(const Node& node, const StepBuilder& builder) {
  const Value& x = *node.inputs[0];
  const auto& weights = node.inputs[1]->constant;
  const bool floats = x.type.tensor.dtype == DType::F32 && !x.type.tensor.quantized();
  if (builder.options().eval.expand_hybrid_weights || !floats || !builder.planned(&x) ||
      !builder.planned(node.outputs[0]) || !weights || weights->dtype() != DType::I8 ||
      !weights->type().quantized() || weights->rank() < 2 || weights->elements() == 0) {
    return nullptr;
  }
  return &*weights;
}

// Nothing where the bias or the activation is not one that the steps have.
std::optional<HybridLayer> layer_of(const Node& node, const Tensor& weights, HybridRange range) {
  const auto activation = fused_activation(node);
  const Value* bias = node.inputs.size() > 2 ? node.inputs[2] : nullptr;
  const bool bias_fits =
      bias == nullptr || (bias->constant && bias->constant->dtype() == DType::F32 &&
                          bias->constant->elements() == weights.shape()[0]);
  if (!activation || !bias_fits) return std::nullopt;
  return HybridLayer{.weights = weights,
                     .bias = bias == nullptr ? nullptr : &*bias->constant,
                     .range = range,
                     .activation = *activation};
}

std::unique_ptr<Step> lower_conv_hybrid_node(const Node& node, StepBuilder& builder) {
  const Tensor* weights = weights_of(node, builder);
  if (weights == nullptr) return nullptr;
  const NodeContext context(*find_op(node.op), node);
  const Value* x = node.inputs[0];
  auto conv = conv_geometry(context, x->type.tensor.shape, weights->shape());
  if (!conv.ok() || !conv->nhwc || conv->window.rank > 2) return nullptr;
  const auto layer = layer_of(node, *weights, hybrid_range(*conv, *weights->type().quant));
  if (!layer) return nullptr;
  const bool depthwise = conv->groups == conv->in_channels && conv->groups == conv->out_channels;
  if (depthwise && conv->groups > 1 && has_small_sums(*conv, *weights)) {
    return make_hybrid_depthwise_step(*layer, *conv, x, node.outputs[0], builder);
  }
  HybridProductSpec spec{.layer = *layer};
  spec.images = static_cast<size_t>(conv->batch);
  conv->batch = 1;
  spec.window = WindowRows(*conv);
  spec.groups = static_cast<size_t>(conv->groups);
  spec.depth = static_cast<size_t>(conv->in_channels / conv->groups);
  spec.columns = static_cast<size_t>(conv->out_channels / conv->groups);
  return make_hybrid_product_step(std::move(spec), x, node.outputs[0], builder);
}

std::unique_ptr<Step> lower_gemm_hybrid_node(const Node& node, StepBuilder& builder) {
  const Tensor* weights = weights_of(node, builder);
  if (weights == nullptr || weights->rank() != 2) return nullptr;
  const NodeContext context(*find_op(node.op), node);
  const bool plain = context.real("alpha") == 1 && context.real("beta") == 1 &&
                     context.integer("transA") == 0 && context.integer("transB") != 0;
  const auto layer = layer_of(node, *weights, HybridRange::Symmetric);
  if (!plain || !layer) return nullptr;
  HybridProductSpec spec{.layer = *layer};
  spec.columns = static_cast<size_t>(weights->shape()[0]);
  spec.depth = static_cast<size_t>(weights->shape()[1]);
  const Value* x = node.inputs[0];
  const auto elements = static_cast<size_t>(x->type.tensor.elements());
  spec.window = WindowRows::dense(elements / spec.depth, spec.depth);
  spec.row_scales = true;
  return make_hybrid_product_step(std::move(spec), x, node.outputs[0], builder);
}

}  // namespace

extern const LoweringDef lower_conv_hybrid = {.op = "conv", .lower = lower_conv_hybrid_node};
extern const LoweringDef lower_gemm_hybrid = {.op = "gemm", .lower = lower_gemm_hybrid_node};

}  // namespace hone::cpu
