#pragma once

#include "hone/targets/npu/operations/vector_layer.h"

namespace hone::npu {

// The factors of a sum or a product; false when there are none.
using SetFactors = bool (*)(const TensorType& a, const TensorType& b, const TensorType& y,
                            sim::VectorCommand& command);

// Two activations, or one and a constant: of one shape, or broadcast over rows and pixels.
std::optional<Layer> pair_layer(const Node& node, const EvalOptions& options,
                                const sim::VectorOpDef& op, SetFactors set_factors);

// Of a + b, or a - b.
bool set_sum_factors(const TensorType& a, const TensorType& b, const TensorType& y, bool subtract,
                     sim::VectorCommand& command);

}  // namespace hone::npu
