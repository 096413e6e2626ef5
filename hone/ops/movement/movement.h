// What operators that only move elements share.
#pragma once

#include <span>
#include <vector>

#include "hone/ops/common.h"

namespace hone {

// Larger magnitudes in shape arithmetic are refused: no tensor has that many elements, and sums and
// products with extents stay far from overflow.
inline constexpr int64_t kLargestExtent = int64_t{1} << 40;

// A type of `length` axes of unknown extents, as when a shape input is known by its length only;
// not ranked when the length is unknown too. BadInput for a length that no tensor's rank has.
Result<TensorType> type_of_rank(DType dtype, int64_t length);
// The same, of as many axes as the one-dimensional input `shape` has elements.
Result<TensorType> type_of_rank_in(DType dtype, const TensorType& shape);

// eval: input 0 under the shape of output 0, sharing its elements.
Status eval_reshaped(EvalContext& in);

// Fills y in row-major order with x[offset + index * strides] for every index into `view`, which is
// y's shape with its axes split at will.
void copy_strided(const Tensor& x, int64_t offset, std::span<const int64_t> view,
                  std::vector<int64_t> strides, Tensor& y);

}  // namespace hone
