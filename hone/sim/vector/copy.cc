#include "hone/sim/vector/vector_views.h"
#include "hone/sim/view_checks.h"

namespace hone::sim {
namespace {

void run_copy(const VectorCommand& command, const VectorOperands& operands, Scratch&) {
  for_each_pair(command, operands, [](const std::byte* from, std::byte* to, size_t bytes) {
    std::memcpy(to, from, bytes);
  });
}

}  // namespace

extern const VectorOpDef vector_op_copy = {
    .name = "copy",
    .summary = "a, from SRAM to SRAM.",
    .run = run_copy,
    .check = check_alike,
    .cost = 0,  // Only the SRAM holds it up.
    .only_moves = true,
};

}  // namespace hone::sim
