// Kernels over elements whose places in every operand follow from their coordinates: moving them,
// and computing element by element.
#pragma once

#include <string>
#include <vector>

#include "hone/targets/cuda/lowering.h"

namespace hone::cuda {

// Of the kernels' own language: the unsigned type of so many bytes.
std::string_view word_name(size_t bytes);

// Extents that are walked, and how far apart an operand's elements are along each of them.
struct StridedView {
  Ints extents;
  std::vector<Ints> strides;  // By operand; 0 along what an operand is repeated over.
};

// The same walk with as few extents as possible: those that every operand has side by side are one.
StridedView merged(const StridedView& view);

// Of an operand of `shape` that is broadcast to `to`.
Ints broadcast_strides(const Shape& shape, const Shape& to);
// Row-major, without gaps.
Ints dense_strides(const Shape& shape);
// Dense strides of rows of `row` elements, where rows are `pitch` apart instead.
Ints pitched_strides(Ints strides, int64_t row, int64_t pitch);

// Most elements that all operands have side by side and in whole pieces of so many; offsets too.
int64_t pack_of_view(const StridedView& view, std::span<const int64_t> offsets, int64_t most);

// C for `name = offset + coordinates of element i . strides`; coordinates are c0, c1, ...
std::string coordinates_text(const Ints& extents);
std::string address_text(const Ints& strides, int64_t offset);

// y[y_offset + c . y_strides] = x[x_offset + c . x_strides] for all c within the extents.
struct StridedCopy {
  Ints extents;
  Ints x_strides;
  Ints y_strides;
  int64_t x_offset = 0;
  int64_t y_offset = 0;
};
Launch copy_launch(const StridedCopy& copy, size_t element_bytes, Slot x, Slot y);

}  // namespace hone::cuda
