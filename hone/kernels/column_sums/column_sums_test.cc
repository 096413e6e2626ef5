#include "hone/kernels/column_sums/column_sums.h"

#include <gtest/gtest.h>

#include "hone/kernels/kernel_testing.h"

namespace hone {
namespace {

template <class T>
void check_sums(ColumnSums<T> kernel, ColumnSums<T> reference) {
  std::mt19937 rng(1);
  for (size_t cols = 1; cols <= 150; ++cols) {
    const size_t rows = rng() % 300, stride = cols + rng() % 3;
    std::vector<T> x = random_integers<T>(rows * stride, rng);
    // Extremes in every row are the largest sums.
    if (cols % 5 == 0) std::fill(x.begin(), x.end(), std::numeric_limits<T>::min());
    if (cols % 5 == 1) std::fill(x.begin(), x.end(), std::numeric_limits<T>::max());
    std::vector<int32_t> expected(cols), actual(cols);
    reference(rows, cols, stride, x.data(), expected.data());
    kernel(rows, cols, stride, x.data(), actual.data());
    ASSERT_EQ(actual, expected) << rows << " x " << cols;
  }
}

HONE_VARIANT_TEST(ColumnSumsI8Test, ColumnSums<int8_t>, column_sums_i8_variants);
HONE_VARIANT_TEST(ColumnSumsU8Test, ColumnSums<uint8_t>, column_sums_u8_variants);

TEST_P(ColumnSumsI8Test, EveryWidth) {
  check_sums(GetParam().run, column_sums_i8_variants().back().run);
}
TEST_P(ColumnSumsU8Test, EveryWidth) {
  check_sums(GetParam().run, column_sums_u8_variants().back().run);
}

}  // namespace
}  // namespace hone
