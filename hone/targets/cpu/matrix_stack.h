// Stacks of matrices as the products of attention read and write them. Heads lie side by side in
// the rows of a projection; transposing them into a stack only moves rows, so that a product can
// read and write them where they are.
#pragma once

#include <optional>
#include <vector>

#include "hone/targets/cpu/lowering.h"

namespace hone::cpu {

// [batch][m][k] times [batch][k][n]; a side with one matrix repeats it.
struct BatchShape {
  size_t batch, m, k, n;
};

// Elements of a row lie side by side.
struct MatrixStack {
  const Value* value;          // Whose memory it is.
  std::vector<size_t> starts;  // Of each matrix, or of the one that is repeated.
  size_t row_stride;

  size_t start(size_t matrix) const { return starts[matrix % starts.size()]; }
};

// Nothing for products that are not of this kind.
std::optional<BatchShape> batch_shape(const Node& matmul, const StepBuilder& builder);

// Where a product with a batch_shape finds an operand and leaves its result: beyond a transpose
// that keeps rows, if there is one.
MatrixStack operand_stack(const Node& matmul, size_t input, const StepBuilder& builder);
MatrixStack result_stack(const Node& matmul, const StepBuilder& builder);

// Whether all that read the result of a transpose are products that find their operand before it.
bool is_read_as_stack(const Node& transpose, const StepBuilder& builder);
// Whether what it reads is a product that leaves its result behind it.
bool is_written_as_stack(const Node& transpose, const StepBuilder& builder);

}  // namespace hone::cpu
