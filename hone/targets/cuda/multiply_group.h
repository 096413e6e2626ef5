// The instruction of groups of four warps (compute capability 9.0), which depends on the number of
// columns: as many sums as a thread has are its operands.
#pragma once

#include <string>

#include "hone/tensor/dtype.h"

namespace hone::cuda {

struct GroupMultiply {
  int64_t columns = 0;
  DType dtype = DType::F16;  // Of F32 the cores take what TF32 has.
  // The first operand is the thread's own, not a matrix in shared memory.
  bool from_registers = false;
};

// `multiply_group(sums, a, b)`: 64 rows of a times all columns of b, 32 bytes of k.
std::string multiply_group_text(const GroupMultiply& multiply);

}  // namespace hone::cuda
