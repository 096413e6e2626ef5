#pragma once

#include "hone/sim/vector_op.h"

namespace hone::sim {

// Over the values that lie under the window; those there are.
void run_pool(const VectorCommand& command, const VectorOperands& operands, Scratch& scratch,
              bool average);
void check_pool(size_t index, const VectorCommand& command);
// Taps follow one another.
VectorWork pool_work(const VectorCommand& command);

}  // namespace hone::sim
