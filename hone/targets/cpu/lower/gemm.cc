// Matrix products with constant weights: gemm, and matmul whose right side is one matrix.

#include "hone/ops/op_def.h"
#include "hone/targets/cpu/fused.h"
#include "hone/targets/cpu/product_step.h"

namespace hone::cpu {
namespace {

bool fits(const Node& node, const StepBuilder& builder) {
  const Value& a = *node.inputs[0];
  const Value& b = *node.inputs[1];
  const DType dtype = a.type.tensor.dtype;
  return (dtype == DType::F32 || dtype == DType::F16) && builder.planned(&a) &&
         builder.planned(node.outputs[0]) && b.constant && b.constant->dtype() == dtype &&
         !b.constant->type().quantized() && b.constant->rank() == 2 && a.type.tensor.rank() >= 2 &&
         b.constant->elements() > 0;
}

// The weights of [k, n], or of [n, k] when transposed, for rows of k elements.
ProductSpec spec_of(const Node& node, bool transposed) {
  const Tensor& weights = *node.inputs[1]->constant;
  ProductSpec spec;
  spec.depth = static_cast<size_t>(weights.shape()[transposed ? 1 : 0]);
  spec.columns = static_cast<size_t>(weights.shape()[transposed ? 0 : 1]);
  const int64_t elements = node.inputs[0]->type.tensor.elements();
  spec.window = WindowRows::dense(static_cast<size_t>(elements) / spec.depth, spec.depth);
  spec.weights = weights;
  spec.column_stride = transposed ? spec.depth : 1;
  spec.depth_stride = transposed ? 1 : spec.columns;
  return spec;
}

std::unique_ptr<Step> lower_gemm_node(const Node& node, StepBuilder& builder) {
  if (!fits(node, builder)) return nullptr;
  const NodeContext context(*find_op(node.op), node);
  const auto activation = fused_activation(node);
  const bool plain =
      context.real("alpha") == 1 && context.real("beta") == 1 && context.integer("transA") == 0;
  if (!plain || !activation) return nullptr;
  ProductSpec spec = spec_of(node, context.integer("transB") != 0);
  spec.activation = *activation;
  if (node.inputs.size() > 2 && node.inputs[2] != nullptr) {
    const auto& bias = node.inputs[2]->constant;
    // One per column: every other broadcast is rare.
    if (!bias || bias->elements() != static_cast<int64_t>(spec.columns) ||
        (bias->rank() > 0 && bias->shape().back() != bias->elements())) {
      return nullptr;
    }
    spec.bias = *bias;
  }
  const Value* residual = node.inputs.size() > 3 ? node.inputs[3] : nullptr;
  return make_product_step(std::move(spec), node.inputs[0], residual, node.outputs[0], builder);
}

std::unique_ptr<Step> lower_matmul_node(const Node& node, StepBuilder& builder) {
  if (!fits(node, builder)) return nullptr;
  return make_product_step(spec_of(node, false), node.inputs[0], nullptr, node.outputs[0], builder);
}

}  // namespace

extern const LoweringDef lower_gemm = {.op = "gemm", .lower = lower_gemm_node};
extern const LoweringDef lower_matmul = {.op = "matmul", .lower = lower_matmul_node};

}  // namespace hone::cpu
