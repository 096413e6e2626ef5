#pragma once

#include "hone/targets/npu/operations/vector_layer.h"

namespace hone::npu {

// A pool over height and width. The mean of one that counts its padding is no such.
std::optional<Layer> pool_layer(const Node& node, const EvalOptions& options,
                                const sim::VectorOpDef& op);
std::optional<NodeWindow> window_of_pool(const Node& node);

}  // namespace hone::npu
