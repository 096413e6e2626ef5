#include "hone/targets/npu/operations/pool_layer.h"

namespace hone::npu {
namespace {

constexpr std::string_view kMaxPoolOps[] = {"max_pool"};

std::optional<Layer> make_max_pool(const Node& node, const EvalOptions& options) {
  return pool_layer(node, options, sim::vector_op_max_pool);
}

}  // namespace

extern const OperationDef operation_max_pool = {.ops = kMaxPoolOps,
                                                .layer = make_max_pool,
                                                .vector = &sim::vector_op_max_pool,
                                                .window = window_of_pool};

}  // namespace hone::npu
