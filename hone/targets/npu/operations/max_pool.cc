#include "hone/targets/npu/operations/pool_layer.h"

namespace hone::npu {
namespace {

constexpr std::string_view kOps[] = {"max_pool"};

std::optional<Layer> make(const Node& node, const EvalOptions& options) {
  return pool_layer(node, options, sim::vector_op_max_pool);
}

}  // namespace

extern const OperationDef operation_max_pool = {
    .ops = kOps, .layer = make, .vector = &sim::vector_op_max_pool, .window = window_of_pool};

}  // namespace hone::npu
