// Matrix products: gemm, and matmul whose right side is one constant matrix.

#include "hone/ops/op_def.h"
#include "hone/targets/common/fused.h"
#include "hone/targets/cpu/product_step.h"

namespace hone::cpu {
namespace {

bool fits_lower_gemm(const Node& node, const StepBuilder& builder) {
  const Value& a = *node.inputs[0];
  const Value& b = *node.inputs[1];
  const TensorType& weights = b.type.tensor;
  const DType dtype = a.type.tensor.dtype;
  return (dtype == DType::F32 || dtype == DType::F16) && builder.planned(&a) &&
         builder.planned(node.outputs[0]) && (b.constant || builder.planned(&b)) &&
         weights.dtype == dtype && !weights.quantized() && weights.rank() == 2 &&
         a.type.tensor.rank() >= 2 && weights.elements() > 0;
}

// The weights of [k, n], or of [n, k] when transposed, for rows of k elements.
ProductSpec spec_of(const Node& node, bool transposed) {
  const Shape& weights = node.inputs[1]->type.tensor.shape;
  ProductSpec spec;
  spec.depth = static_cast<size_t>(weights[transposed ? 1 : 0]);
  spec.columns = static_cast<size_t>(weights[transposed ? 0 : 1]);
  const int64_t elements = node.inputs[0]->type.tensor.elements();
  spec.window = WindowRows::dense(static_cast<size_t>(elements) / spec.depth, spec.depth);
  spec.weights = node.inputs[1];
  spec.column_stride = transposed ? spec.depth : 1;
  spec.depth_stride = transposed ? 1 : spec.columns;
  return spec;
}

std::unique_ptr<Step> lower_gemm_node(const Node& node, StepBuilder& builder) {
  if (!fits_lower_gemm(node, builder)) return nullptr;
  const NodeContext context(*find_op(node.op), node);
  const auto activation = fused_activation(node);
  const bool plain =
      context.real("alpha") == 1 && context.real("beta") == 1 && context.integer("transA") == 0;
  if (!plain || !activation) return nullptr;
  ProductSpec spec = spec_of(node, context.integer("transB") != 0);
  spec.activation = *activation;
  if (node.inputs.size() > 2 && node.inputs[2] != nullptr) {
    const Value& bias = *node.inputs[2];
    if (!bias.constant && !builder.planned(&bias)) return nullptr;
    // One per column: every other broadcast is rare.
    const TensorType& type = bias.type.tensor;
    if (type.elements() != static_cast<int64_t>(spec.columns) ||
        (type.rank() > 0 && type.shape.back() != type.elements())) {
      return nullptr;
    }
    spec.bias = &bias;
  }
  const Value* residual = node.inputs.size() > 3 ? node.inputs[3] : nullptr;
  return make_product_step(std::move(spec), node.inputs[0], residual, node.outputs[0], builder);
}

std::unique_ptr<Step> lower_matmul_node(const Node& node, StepBuilder& builder) {
  if (!fits_lower_gemm(node, builder) || !node.inputs[1]->constant) return nullptr;
  return make_product_step(spec_of(node, false), node.inputs[0], nullptr, node.outputs[0], builder);
}

}  // namespace

extern const LoweringDef lower_gemm = {.op = "gemm", .lower = lower_gemm_node};
extern const LoweringDef lower_matmul = {.op = "matmul", .lower = lower_matmul_node};

}  // namespace hone::cpu
