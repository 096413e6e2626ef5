#include "hone/ops/elementwise/arithmetic_quantized.h"
#include "hone/targets/npu/operations/pair_layer.h"

namespace hone::npu {
namespace {

constexpr std::string_view kOps[] = {"mul"};

bool set_factors(const TensorType& a, const TensorType& b, const TensorType& y,
                 sim::VectorCommand& command) {
  command.factors[2] = product_factor(a, b, y);
  return true;
}

std::optional<Layer> make(const Node& node, const EvalOptions& options) {
  return pair_layer(node, options, sim::vector_op_mul, set_factors);
}

}  // namespace

extern const OperationDef operation_mul = {
    .ops = kOps, .layer = make, .vector = &sim::vector_op_mul};

}  // namespace hone::npu
