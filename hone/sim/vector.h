#pragma once

#include "hone/sim/command.h"
#include "hone/sim/scratch.h"

namespace hone::sim {

// Where the parts of a vector command lie. Null where it has none.
struct VectorOperands {
  const std::byte* a = nullptr;
  const std::byte* b = nullptr;
  std::byte* output = nullptr;
  const std::byte* constants = nullptr;
};

// Operations of the vector engine on the kernels that the cpu target runs on, bit for bit what
// command.h defines.
void run_vector(const VectorCommand& command, const VectorOperands& operands, Scratch& scratch);

}  // namespace hone::sim
