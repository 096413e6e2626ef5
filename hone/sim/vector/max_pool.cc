#include "hone/sim/vector/pools.h"

namespace hone::sim {

extern const VectorOpDef vector_op_max_pool = {
    .name = "max_pool",
    .summary = "The largest value under the window.",
    .run = [](const VectorCommand& command, const VectorOperands& operands,
              Scratch& scratch) { run_pool(command, operands, scratch, false); },
    .check = check_pool,
    .slides = true,
    .work = pool_work,
};

}  // namespace hone::sim
