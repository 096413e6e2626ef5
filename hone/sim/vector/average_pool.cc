#include "hone/sim/vector/pools.h"

namespace hone::sim {

extern const VectorOpDef vector_op_average_pool = {
    .name = "average_pool",
    .summary = "The mean of the values that lie under the window.",
    .run = [](const VectorCommand& command, const VectorOperands& operands,
              Scratch& scratch) { run_pool(command, operands, scratch, true); },
    .check = check_pool,
    .slides = true,
    .work = pool_work,
};

}  // namespace hone::sim
