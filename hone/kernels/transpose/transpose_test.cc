#include "hone/kernels/transpose/transpose.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>

#include "hone/kernels/kernel_testing.h"

namespace hone {
namespace {

template <class T>
void check_2d(const Transpose2d& kernel) {
  std::mt19937 rng(1);
  for (size_t rows = 1; rows <= 40; ++rows) {
    for (const size_t cols : {size_t{1}, size_t{7}, size_t{16}, size_t{33}, 1 + rng() % 90}) {
      const size_t x_stride = cols + rng() % 3, y_stride = rows + (rows == 3 ? 0 : rng() % 3);
      const std::vector<T> x = random_integers<T>(rows * x_stride, rng);
      std::vector<T> y(cols * y_stride, 7);
      kernel.of(sizeof(T))(rows, cols, x.data(), x_stride, y.data(), y_stride);
      for (size_t i = 0; i < y.size(); ++i) {
        const size_t c = i / y_stride, r = i % y_stride;
        ASSERT_EQ(y[i], r < rows ? x[r * x_stride + c] : T{7}) << rows << "x" << cols;
      }
    }
  }
}

// One element after the other, by the definition.
template <class T>
std::vector<T> expected(const std::vector<T>& x, const std::vector<size_t>& shape,
                        const std::vector<size_t>& perm) {
  std::vector<T> y(x.size());
  for (size_t i = 0; i < y.size(); ++i) {
    std::vector<size_t> index(shape.size());
    size_t rest = i;
    for (size_t k = perm.size(); k-- > 0; rest /= shape[perm[k]]) {
      index[perm[k]] = rest % shape[perm[k]];
    }
    size_t from = 0;
    for (size_t k = 0; k < shape.size(); ++k) from = from * shape[k] + index[k];
    y[i] = x[from];
  }
  return y;
}

template <class T>
void check_plans(const Transpose2d& kernel) {
  std::mt19937 rng(2);
  for (int i = 0; i < 300; ++i) {
    std::vector<size_t> shape(rng() % 6), perm(shape.size());
    for (size_t& extent : shape) extent = 1 + rng() % (rng() % 3 == 0 ? 20 : 5);
    if (!shape.empty() && i % 50 == 0) shape[0] = 0;
    std::iota(perm.begin(), perm.end(), 0);
    std::shuffle(perm.begin(), perm.end(), rng);
    const size_t elements = std::accumulate(shape.begin(), shape.end(), size_t{1},
                                            [](size_t a, size_t b) { return a * b; });
    const std::vector<T> x = random_integers<T>(elements, rng);
    std::vector<T> y(elements);
    const TransposePlan plan(shape, perm, sizeof(T));
    const size_t middle = plan.units() / 2;
    plan.run(kernel, x.data(), y.data(), middle, plan.units());
    plan.run(kernel, x.data(), y.data(), 0, middle);
    ASSERT_EQ(y, expected(x, shape, perm))
        << testing::PrintToString(shape) << " by " << testing::PrintToString(perm);
  }
}

HONE_VARIANT_TEST(TransposeTest, Transpose2d, transpose_2d_variants);

TEST_P(TransposeTest, EveryMatrix) {
  check_2d<uint8_t>(GetParam().run);
  check_2d<uint16_t>(GetParam().run);
  check_2d<uint32_t>(GetParam().run);
  check_2d<uint64_t>(GetParam().run);
}

TEST_P(TransposeTest, EveryPermutation) {
  check_plans<uint8_t>(GetParam().run);
  check_plans<uint16_t>(GetParam().run);
  check_plans<uint32_t>(GetParam().run);
  check_plans<uint64_t>(GetParam().run);
}

}  // namespace
}  // namespace hone
