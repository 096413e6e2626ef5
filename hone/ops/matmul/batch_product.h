// NumPy's matmul, which matmul and its integer relatives share: the last two axes are matrices,
// those before them broadcast, and an operand of rank 1 is a row on the left and a column on the
// right.
#pragma once

#include <vector>

#include "hone/ops/common.h"
#include "hone/ops/matmul/product.h"

namespace hone {

// The shape of the product; extents may be unknown. BadInput when the operands do not fit.
Result<Shape> product_shape(const Shape& a, const Shape& b);
// Of inputs `a` and `b`.
Result<TensorType> product_type(const InferContext& in, DType dtype, size_t a, size_t b);
Cost product_cost(const InferContext& in, size_t a, size_t b);
// The product, or 0 when it is not representable.
int64_t product_or_zero(std::span<const int64_t> factors);

// Two shapes that fit, as a batch of matrix products.
struct BatchProduct {
  int64_t rows = 1;
  int64_t depth = 1;
  int64_t columns = 1;
  Shape batch;
  std::vector<int64_t> a_strides;  // In elements, one per batch axis.
  std::vector<int64_t> b_strides;

  BatchProduct(Shape a, Shape b);

  // Adds a * b to c.
  template <class T>
  void run(const T* a, const T* b, T* c) const {
    if (rows == 0 || depth == 0 || columns == 0) return;
    for (IndexWalk walk(batch, {a_strides, b_strides}); !walk.done(); walk.next()) {
      multiply<T>({a + walk.offset(0), depth, 1}, {b + walk.offset(1), columns, 1}, {c, columns, 1},
                  rows, depth, columns);
      c += rows * columns;
    }
  }
};

}  // namespace hone
