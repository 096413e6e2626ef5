#pragma once

#include "hone/sim/vector_op.h"

namespace hone::sim {

// a + b, or a - b.
void run_sum(const VectorCommand& command, const VectorOperands& operands, Scratch& scratch,
             bool subtract);

}  // namespace hone::sim
