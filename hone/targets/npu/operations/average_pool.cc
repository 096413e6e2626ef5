#include "hone/targets/npu/operations/pool_layer.h"

namespace hone::npu {
namespace {

constexpr std::string_view kOps[] = {"average_pool"};

std::optional<Layer> make(const Node& node, const EvalOptions& options) {
  return pool_layer(node, options, sim::vector_op_average_pool);
}

}  // namespace

extern const OperationDef operation_average_pool = {
    .ops = kOps, .layer = make, .vector = &sim::vector_op_average_pool, .window = window_of_pool};

}  // namespace hone::npu
