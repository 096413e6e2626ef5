// The inner loop that matrix products and convolutions share: c += a * b for a panel of b's
// columns.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace hone {

// A matrix in somebody's memory; strides in elements.
template <class T>
struct MatrixView {
  T* data;
  int64_t row_stride;
  int64_t column_stride;
  T& at(int64_t row, int64_t column) const {
    return data[row * row_stride + column * column_stride];
  }
};

// Columns in a panel. 4 rows of 16 floats fill half the vector registers of aarch64 and leave room
// for the operands; loops of this fixed length are vectorised at -O2 too.
inline constexpr int64_t kPanelColumns = 16;
// Rows of b in a panel at most: 16 KiB of floats, which stay in the first-level cache.
inline constexpr int64_t kPanelDepth = 256;

// c[r][j] += sum_k a[r][k] * panel[k][j] for kRows rows; only `columns` columns of c exist.
template <int kRows, class T>
void multiply_rows(MatrixView<const T> a, int64_t depth, const T* panel, MatrixView<T> c,
                   int64_t columns) {
  T sums[kRows][kPanelColumns] = {};
  for (int64_t k = 0; k < depth; ++k) {
    for (int r = 0; r < kRows; ++r) {
      const T factor = a.at(r, k);
      for (int64_t j = 0; j < kPanelColumns; ++j)
        sums[r][j] += factor * panel[k * kPanelColumns + j];
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int64_t j = 0; j < columns; ++j) c.at(r, j) += sums[r][j];
  }
}

// The same for any number of rows.
template <class T>
void multiply_panel(MatrixView<const T> a, int64_t rows, int64_t depth, const T* panel,
                    MatrixView<T> c, int64_t columns) {
  int64_t r = 0;
  for (; r + 4 <= rows; r += 4) {
    multiply_rows<4>({&a.at(r, 0), a.row_stride, a.column_stride}, depth, panel,
                     {&c.at(r, 0), c.row_stride, c.column_stride}, columns);
  }
  for (; r < rows; ++r) {
    multiply_rows<1>({&a.at(r, 0), a.row_stride, a.column_stride}, depth, panel,
                     {&c.at(r, 0), c.row_stride, c.column_stride}, columns);
  }
}

// Copies `depth` rows of `columns` columns into a panel; columns beyond are zero.
template <class T>
void pack_panel(MatrixView<const T> b, int64_t depth, int64_t columns, T* panel) {
  for (int64_t k = 0; k < depth; ++k) {
    T* row = panel + k * kPanelColumns;
    for (int64_t j = 0; j < columns; ++j) row[j] = b.at(k, j);
    std::fill(row + columns, row + kPanelColumns, T(0));
  }
}

// c += a * b, with c of rows x columns and depth columns in a.
template <class T>
void multiply(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, int64_t rows,
              int64_t depth, int64_t columns) {
  std::array<T, kPanelDepth * kPanelColumns> panel;
  for (int64_t j = 0; j < columns; j += kPanelColumns) {
    const int64_t width = std::min(kPanelColumns, columns - j);
    for (int64_t k = 0; k < depth; k += kPanelDepth) {
      const int64_t height = std::min(kPanelDepth, depth - k);
      pack_panel<T>({&b.at(k, j), b.row_stride, b.column_stride}, height, width, panel.data());
      multiply_panel<T>({&a.at(0, k), a.row_stride, a.column_stride}, rows, height, panel.data(),
                        {&c.at(0, j), c.row_stride, c.column_stride}, width);
    }
  }
}

}  // namespace hone
