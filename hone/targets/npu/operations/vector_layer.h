// What layers of the vector engine are made with.
#pragma once

#include "hone/ops/quant/integer.h"
#include "hone/targets/npu/operation.h"

namespace hone::npu {

inline const TensorType& type_of(const Value* value) {
  return value->type.tensor;
}

// Without views: types and zero points of the node's first input and its output.
sim::VectorCommand command_of(const sim::VectorOpDef& op, const Node& node,
                              const EvalOptions& options, IntRange range);

// One operand that is walked as the output is.
Layer alike_layer(const Node& node, sim::VectorCommand command);

}  // namespace hone::npu
