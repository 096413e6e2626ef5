#include "hone/ops/op_def.h"
#include "hone/targets/npu/operations/product_layer.h"

namespace hone::npu {
namespace {

constexpr std::string_view kGemmOps[] = {"gemm"};

std::optional<Layer> make_gemm(const Node& node, const EvalOptions& options) {
  const auto range = product_range(node);
  if (!range) return std::nullopt;
  const NodeContext context(*find_op(node.op), node);
  const TensorType& x = node.inputs[0]->type.tensor;
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
  layer.weights = weights_of(node, columns, ScaleProduct::Float);
  layer.work = product;
  return layer;
}

}  // namespace

extern const OperationDef operation_gemm = {.ops = kGemmOps, .layer = make_gemm, .weights = true};

}  // namespace hone::npu
