#include "hone/targets/npu/operations/pair_layer.h"

namespace hone::npu {
namespace {

constexpr std::string_view kAddOps[] = {"add"};

bool set_factors_add(const TensorType& a, const TensorType& b, const TensorType& y,
                     sim::VectorCommand& command) {
  return set_sum_factors(a, b, y, false, command);
}

std::optional<Layer> make_add(const Node& node, const EvalOptions& options) {
  return pair_layer(node, options, sim::vector_op_add, set_factors_add);
}

}  // namespace

extern const OperationDef operation_add = {
    .ops = kAddOps, .layer = make_add, .vector = &sim::vector_op_add};

}  // namespace hone::npu
