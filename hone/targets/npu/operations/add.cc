#include "hone/targets/npu/operations/pair_layer.h"

namespace hone::npu {
namespace {

constexpr std::string_view kOps[] = {"add"};

bool set_factors(const TensorType& a, const TensorType& b, const TensorType& y,
                 sim::VectorCommand& command) {
  return set_sum_factors(a, b, y, false, command);
}

std::optional<Layer> make(const Node& node, const EvalOptions& options) {
  return pair_layer(node, options, sim::vector_op_add, set_factors);
}

}  // namespace

extern const OperationDef operation_add = {
    .ops = kOps, .layer = make, .vector = &sim::vector_op_add};

}  // namespace hone::npu
