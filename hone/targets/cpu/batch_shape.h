#pragma once

#include <optional>

#include "hone/targets/cpu/lowering.h"

namespace hone::cpu {

// [batch][m][k] times [batch][k][n]; a side with one matrix repeats it.
struct BatchShape {
  size_t batch, m, k, n;
  bool repeat_a, repeat_b;
};

// Of a matmul of two planned operands of one float type; nothing for others, and for batches that
// are broadcast in another way, which are rare.
std::optional<BatchShape> batch_shape_of(const Node& matmul, const StepBuilder& builder);

}  // namespace hone::cpu
