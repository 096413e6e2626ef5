#include "hone/sim/vector/sums.h"
#include "hone/sim/view_checks.h"

namespace hone::sim {

extern const VectorOpDef vector_op_sub = {
    .name = "sub",
    .summary = "a - b, by TFLite's arithmetic: factors are those of a, b and the output.",
    .run = [](const VectorCommand& command, const VectorOperands& operands,
              Scratch& scratch) { run_sum(command, operands, scratch, true); },
    .check = check_pair,
    .reads_b = true,
    .in_place = true,
};

}  // namespace hone::sim
