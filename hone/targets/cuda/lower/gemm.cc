// Matrix products: gemm, and matmul of one matrix or of many.

#include "hone/ops/op_def.h"
#include "hone/targets/common/fused.h"
#include "hone/targets/cuda/lowering.h"
#include "hone/targets/cuda/product.h"

namespace hone::cuda {
namespace {

bool fits_matrices(const Node& node, const StepBuilder& builder) {
  return is_float_tensor(node.inputs[0], builder) && is_float_tensor(node.inputs[1], builder) &&
         is_float_tensor(node.outputs[0], builder) && !node.inputs[0]->constant &&
         node.inputs[0]->type.tensor.dtype == node.inputs[1]->type.tensor.dtype &&
         node.inputs[0]->type.tensor.rank() >= 2;
}

// A constant [k, n], or [n, k], as rows of whole 16 bytes along k.
Tensor rows_along_depth(const Tensor& weights, bool transposed, int64_t depth, int64_t columns,
                        int64_t pitch) {
  if (transposed) return pad_rows(weights, columns, depth, pitch);
  Tensor turned(TensorType{weights.dtype(), {columns, pitch}});
  const size_t element = weights.bytes().size() / static_cast<size_t>(weights.elements());
  const std::byte* from = weights.bytes().data();
  std::byte* to = turned.mutable_bytes().data();
  for (int64_t k = 0; k < depth; ++k) {
    for (int64_t n = 0; n < columns; ++n) {
      std::copy_n(from + static_cast<size_t>(k * columns + n) * element, element,
                  to + static_cast<size_t>(n * pitch + k) * element);
    }
  }
  return turned;
}

// x of [rows, k] times a matrix of [k, n], or [n, k] when transposed.
ProductShape shape_of(const Node& node, bool transposed) {
  const Shape& weights = node.inputs[1]->type.tensor.shape;
  ProductShape shape;
  shape.dtype = node.inputs[0]->type.tensor.dtype;
  shape.depth = weights[transposed ? 1 : 0];
  shape.columns = weights[transposed ? 0 : 1];
  shape.rows = node.inputs[0]->type.tensor.elements() / shape.depth;
  shape.x_pitch = shape.depth;
  shape.y_pitch = shape.columns;
  return shape;
}

// Sets how the weights lie, and gives their slot.
Slot weights_slot(const Node& node, bool transposed, ProductShape& shape, StepBuilder& builder) {
  const Value* weights = node.inputs[1];
  if (weights->constant) {
    shape.constant_weights = true;
    shape.w_n = (shape.depth + 7) / 8 * 8;
    return packed_weights(
        rows_along_depth(*weights->constant, transposed, shape.depth, shape.columns, shape.w_n),
        shape, builder);
  }
  shape.w_k = transposed ? 1 : shape.columns;
  shape.w_n = transposed ? shape.depth : 1;
  return builder.read(weights);
}

Step one_matrix(const Node& node, ProductShape shape, bool transposed, StepBuilder& builder) {
  shape.tf32 = in_tf32(shape.dtype, builder);
  ProductOperands operands;
  operands.x = builder.read(node.inputs[0]);
  operands.w = weights_slot(node, transposed, shape, builder);
  if (const Value* bias = input_of(node, 2)) {
    operands.bias = builder.packed(as_floats(*bias->constant));
  }
  if (const Value* residual = input_of(node, 3)) operands.residual = builder.read(residual);
  operands.y = builder.write(node.outputs[0]);
  shape.y_pitch = builder.row_pitch(node.outputs[0]);
  return product_step_of(kind_of_step(StepFamily::Product, "gemm", node), shape, operands, builder);
}

// One per column; every other broadcast is rare.
bool is_column_bias(const Value* bias, int64_t columns) {
  if (bias == nullptr) return true;
  const TensorType& type = bias->type.tensor;
  return bias->constant && type.elements() == columns &&
         (type.rank() == 0 || type.shape.back() == columns);
}

std::optional<Step> lower_gemm_node(const Node& node, StepBuilder& builder) {
  if (!takes_gemm(node, builder)) return std::nullopt;
  const NodeContext context(*find_op(node.op), node);
  const bool transposed = context.integer("transB") != 0;
  ProductShape shape = shape_of(node, transposed);
  shape.activation = *fused_activation(node);
  shape.scale = static_cast<float>(context.real("alpha"));
  return one_matrix(node, std::move(shape), transposed, builder);
}

// As many matrices on the right as on the left.
std::optional<Step> many_matrices(const Node& node, StepBuilder& builder) {
  const Shape& a = node.inputs[0]->type.tensor.shape;
  const Shape& b = node.inputs[1]->type.tensor.shape;
  if (a.size() != b.size() || !std::equal(a.begin(), a.end() - 2, b.begin())) return std::nullopt;
  ProductShape shape;
  shape.dtype = node.inputs[0]->type.tensor.dtype;
  shape.tf32 = in_tf32(shape.dtype, builder);
  shape.rows = a[a.size() - 2];
  shape.depth = a.back();
  shape.columns = b.back();
  shape.x_pitch = shape.depth;
  shape.y_pitch = shape.columns;
  shape.w_k = shape.columns;
  shape.w_n = 1;
  shape.batches = node.inputs[0]->type.tensor.elements() / (shape.rows * shape.depth);
  shape.x_step = shape.rows * shape.depth;
  shape.w_step = shape.depth * shape.columns;
  shape.y_step = shape.rows * shape.columns;
  constexpr int64_t kMostBatches = 65535;  // Of a grid's z.
  if (shape.batches > kMostBatches) return std::nullopt;
  ProductOperands operands;
  operands.x = builder.read(node.inputs[0]);
  operands.w = builder.read(node.inputs[1]);
  operands.y = builder.write(node.outputs[0]);
  return product_step_of(kind_of_step(StepFamily::Product, "matmul", node), shape, operands,
                         builder);
}

std::optional<Step> lower_matmul_node(const Node& node, StepBuilder& builder) {
  if (!fits_matrices(node, builder)) return std::nullopt;
  if (node.inputs[1]->type.tensor.rank() == 2) {
    return one_matrix(node, shape_of(node, false), false, builder);
  }
  return many_matrices(node, builder);
}

}  // namespace

bool takes_gemm(const Node& node, const StepBuilder& builder) {
  if (!fits_matrices(node, builder) || node.inputs[1]->type.tensor.rank() != 2) return false;
  const NodeContext context(*find_op(node.op), node);
  const bool plain = context.real("beta") == 1 && context.integer("transA") == 0;
  const ProductShape shape = shape_of(node, context.integer("transB") != 0);
  const Value* residual = input_of(node, 3);
  return plain && fused_activation(node) && is_column_bias(input_of(node, 2), shape.columns) &&
         (residual == nullptr || is_float_tensor(residual, builder));
}

extern const LoweringDef lower_gemm = {.op = "gemm", .lower = lower_gemm_node};
extern const LoweringDef lower_matmul = {.op = "matmul", .lower = lower_matmul_node};

}  // namespace hone::cuda
