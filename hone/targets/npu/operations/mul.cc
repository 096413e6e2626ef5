#include "hone/ops/elementwise/arithmetic_quantized.h"
#include "hone/targets/npu/operations/pair_layer.h"

namespace hone::npu {
namespace {

constexpr std::string_view kMulOps[] = {"mul"};

bool set_factors_mul(const TensorType& a, const TensorType& b, const TensorType& y,
                     sim::VectorCommand& command) {
  command.factors[2] = product_factor(a, b, y);
  return true;
}

std::optional<Layer> make_mul(const Node& node, const EvalOptions& options) {
  return pair_layer(node, options, sim::vector_op_mul, set_factors_mul);
}

}  // namespace

extern const OperationDef operation_mul = {
    .ops = kMulOps, .layer = make_mul, .vector = &sim::vector_op_mul};

}  // namespace hone::npu
