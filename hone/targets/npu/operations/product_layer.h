// Convolutions and fully connected layers with constant weights.
#pragma once

#include "hone/ops/quant/weighted.h"
#include "hone/targets/npu/operation.h"

namespace hone::npu {

// The range of the output where the node has bytes in and out, constant 8-bit weights with one zero
// point, a 32-bit bias and nothing else.
std::optional<IntRange> product_range(const Node& node);

// Types and zero points of a node that has a range.
void set_arithmetic(const Node& node, const EvalOptions& options, IntRange range,
                    sim::Product& product);

// As the node holds them: nothing is copied.
Weights weights_of(const Node& node, int64_t channels, ScaleProduct scales);

}  // namespace hone::npu
