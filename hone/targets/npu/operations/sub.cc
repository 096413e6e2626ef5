#include "hone/targets/npu/operations/pair_layer.h"

namespace hone::npu {
namespace {

constexpr std::string_view kSubOps[] = {"sub"};

bool set_factors_sub(const TensorType& a, const TensorType& b, const TensorType& y,
                     sim::VectorCommand& command) {
  return set_sum_factors(a, b, y, true, command);
}

std::optional<Layer> make_sub(const Node& node, const EvalOptions& options) {
  return pair_layer(node, options, sim::vector_op_sub, set_factors_sub);
}

}  // namespace

extern const OperationDef operation_sub = {
    .ops = kSubOps, .layer = make_sub, .vector = &sim::vector_op_sub};

}  // namespace hone::npu
