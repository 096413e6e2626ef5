// Permutes the axes of a dense tensor of any element type.
#pragma once

#include <cstddef>
#include <span>

#include "hone/kernels/variant.h"

namespace hone {

// Copies a matrix to its transpose: y[c * y_stride + r] = x[r * x_stride + c] for r < rows and
// c < cols, strides in elements. x and y apart. One function per size of element.
struct Transpose2d {
  using Run = void (*)(size_t rows, size_t cols, const void* x, size_t x_stride, void* y,
                       size_t y_stride);
  Run bytes1;
  Run bytes2;
  Run bytes4;
  Run bytes8;

  // Requires 1, 2, 4 or 8.
  Run of(size_t element_size) const {
    return element_size == 1   ? bytes1
           : element_size == 2 ? bytes2
           : element_size == 4 ? bytes4
                               : bytes8;
  }
};

// Fastest first; ends in "ref".
std::span<const KernelVariant<Transpose2d>> transpose_2d_variants();

// A permutation brought to its essence: axes that stay together are merged, and what is left is
// runs to copy or matrices to transpose, in units that can be worked on in any order.
class TransposePlan {
 public:
  static constexpr size_t kMostAxes = 8;

  // Output axis i is input axis perm[i]. At most kMostAxes axes; element_size 1, 2, 4 or 8.
  TransposePlan(std::span<const size_t> shape, std::span<const size_t> perm, size_t element_size);

  size_t units() const { return units_; }

  // The units first .. last - 1. x and y are apart.
  void run(const Transpose2d& kernel, const void* x, void* y, size_t first, size_t last) const;

 private:
  struct Axis {
    size_t size;
    size_t x_stride;
    size_t y_stride;
  };
  // Takes axis i out of axes_.
  Axis take(size_t i);

  size_t element_size_;
  size_t rank_ = 0;
  Axis axes_[kMostAxes];  // What a unit does not cover, outermost first.
  size_t units_ = 0;

  bool copies_ = false;
  size_t run_bytes_ = 0;  // Of a copy.
  Axis row_{1, 0, 1};     // Of a matrix: adjacent in y.
  Axis column_{1, 1, 0};  // Adjacent in x.
  size_t column_blocks_ = 1;
};

}  // namespace hone
