#include "hone/targets/npu/operations/pool_layer.h"

namespace hone::npu {
namespace {

constexpr std::string_view kAveragePoolOps[] = {"average_pool"};

std::optional<Layer> make_average_pool(const Node& node, const EvalOptions& options) {
  return pool_layer(node, options, sim::vector_op_average_pool);
}

}  // namespace

extern const OperationDef operation_average_pool = {.ops = kAveragePoolOps,
                                                    .layer = make_average_pool,
                                                    .vector = &sim::vector_op_average_pool,
                                                    .window = window_of_pool};

}  // namespace hone::npu
