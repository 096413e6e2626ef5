// Products of float matrices on the fastest kernel there is.
#pragma once

#include <cstddef>

namespace hone {

// Element k of column n lies at data[n * column_stride + k * depth_stride].
struct MatrixColumns {
  const float* data;
  size_t count;
  size_t column_stride;
  size_t depth_stride;
};

// c[r][n] += sum over k < depth of a[r][k] * b's element k of column n. Rows of a have `depth`
// numbers, those of c as many as there are columns.
void add_product(const float* a, size_t rows, size_t depth, const MatrixColumns& b, float* c);

}  // namespace hone
