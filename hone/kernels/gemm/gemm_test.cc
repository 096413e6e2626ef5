#include "hone/kernels/gemm/gemm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "hone/kernels/gemm/gemm_block.h"

namespace hone {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

template <class T>
std::vector<T> random_values(size_t n, std::mt19937& rng) {
  std::uniform_real_distribution<float> next(-1, 1);
  std::vector<T> values(n);
  for (T& value : values) value = T(next(rng));
  return values;
}

struct Shape {
  size_t rows, n, taps, depth;
};

// Runs one product through gemm_block and compares with sums in double.
template <class T>
void check_kernel(const GemmKernel<T>& kernel, const Shape& shape, bool residual, float low,
                  float high, double tolerance) {
  std::mt19937 rng(static_cast<unsigned>(shape.rows * 131 + shape.n * 17 + shape.depth));
  const size_t k = shape.taps * shape.depth;
  const std::vector<T> a = random_values<T>(shape.rows * k, rng);
  const std::vector<T> w = random_values<T>(shape.n * k, rng);
  const std::vector<T> bias = random_values<T>(shape.n, rng);
  const std::vector<T> added = random_values<T>(shape.rows * shape.n, rng);
  std::vector<T> panels(kernel.packed_elements(shape.n, k));
  gemm_pack<T>({w.data(), shape.n, k, k, 1, bias.data()}, kernel, 0, kernel.panels(shape.n),
               panels.data());
  std::vector<const T*> pointers;
  for (size_t i = 0; i < shape.rows * shape.taps; ++i) {
    pointers.push_back(a.data() + i * shape.depth);
  }
  std::vector<T> c(shape.rows * shape.n, T(-99.0f));
  gemm_block<T>(
      {kernel, shape.n, shape.taps, shape.depth, panels.data(), low, high},
      {shape.rows, pointers.data(), c.data(), shape.n, residual ? added.data() : nullptr, shape.n},
      0, kernel.panels(shape.n));
  for (size_t r = 0; r < shape.rows; ++r) {
    for (size_t n = 0; n < shape.n; ++n) {
      double sum = static_cast<float>(bias[n]);
      double size = std::abs(sum) + 1;
      for (size_t i = 0; i < k; ++i) {
        const double term =
            double{static_cast<float>(a[r * k + i])} * static_cast<float>(w[n * k + i]);
        sum += term;
        size += std::abs(term);
      }
      if (residual) sum += static_cast<float>(added[r * shape.n + n]);
      const double expected = std::min<double>(std::max<double>(sum, low), high);
      ASSERT_NEAR(static_cast<float>(c[r * shape.n + n]), expected, tolerance * size)
          << "row " << r << " column " << n << " of " << shape.n << ", " << shape.taps << " x "
          << shape.depth;
    }
  }
}

// By the panels that suit the product, and by those of the table if others are.
template <class T>
void check(const KernelVariant<GemmKernel<T>>& variant, const Shape& shape, bool residual,
           float low, float high, double tolerance) {
  SCOPED_TRACE(variant.name);
  const GemmKernel<T>& kernel = variant.run;
  const GemmKernel<T> suited = kernel.for_product(shape.n, shape.depth);
  check_kernel(suited, shape, residual, low, high, tolerance);
  if (suited.nr == kernel.nr && suited.step == kernel.step) return;
  check_kernel(kernel, shape, residual, low, high, tolerance);
}

const std::vector<Shape> kShapes = {{1, 1, 1, 1},    {5, 16, 1, 8},    {7, 33, 1, 5},
                                    {3, 24, 9, 4},   {11, 40, 1, 64},  {6, 7, 25, 3},
                                    {13, 65, 4, 17}, {1, 100, 1, 31},  {20, 32, 2, 16},
                                    {4, 48, 3, 10},  {15, 40, 2, 300}, {15, 70, 9, 700}};

class GemmF32Test : public testing::TestWithParam<KernelVariant<GemmF32>> {};
class GemmF16Test : public testing::TestWithParam<KernelVariant<GemmF16>> {};

TEST_P(GemmF32Test, AgreesWithSumsInDouble) {
  if (!GetParam().runs_here()) GTEST_SKIP() << "this CPU lacks a feature it needs";
  for (const Shape& shape : kShapes) {
    check<float>(GetParam(), shape, false, -kInfinity, kInfinity, 1e-6);
    check<float>(GetParam(), shape, true, -0.5f, 0.75f, 1e-6);
  }
}

// Up to three tiles and a remainder of rows, with and without a whole panel of columns.
template <class T>
void check_remainders(const KernelVariant<GemmKernel<T>>& variant, double tolerance) {
  const size_t nr = variant.run.nr;
  for (size_t rows = 1; rows <= 3 * variant.run.mr + 1; ++rows) {
    for (size_t n = 1; n <= nr; ++n) {
      check<T>(variant, {rows, n, 1, n % 9 + 1}, n % 2 == 0, -kInfinity, kInfinity, tolerance);
    }
    for (size_t depth = 1; depth <= 18; ++depth) {
      check<T>(variant, {rows, nr, 1 + depth % 3, depth}, depth % 2 == 0, -1, 1, tolerance);
    }
  }
}

TEST_P(GemmF32Test, TakesEveryNumberOfRowsColumnsAndDepths) {
  if (!GetParam().runs_here()) GTEST_SKIP() << "this CPU lacks a feature it needs";
  check_remainders<float>(GetParam(), 1e-6);
}

// With one pointer for a row, and taps behind it that overlap, as those of a kernel's rows do: the same
// bits as with a pointer for every tap.
void check_steps(const GemmF32& kernel, const Shape& shape, size_t tap_step) {
  std::mt19937 rng(static_cast<unsigned>(shape.rows * 31 + shape.n * 7 + shape.taps));
  const size_t k = shape.taps * shape.depth;
  const std::vector<float> a =
      random_values<float>(shape.rows * 2 + shape.taps * tap_step + shape.depth, rng);
  const std::vector<float> w = random_values<float>(shape.n * k, rng);
  std::vector<float> panels(kernel.packed_elements(shape.n, k));
  gemm_pack<float>({w.data(), shape.n, k, k, 1, nullptr}, kernel, 0, kernel.panels(shape.n),
                   panels.data());
  std::vector<const float*> rows, taps;
  for (size_t r = 0; r < shape.rows; ++r) {
    rows.push_back(a.data() + 2 * r);
    for (size_t t = 0; t < shape.taps; ++t) taps.push_back(rows.back() + t * tap_step);
  }
  const GemmProduct<float> product = {kernel,        shape.n, shape.taps, shape.depth,
                                      panels.data(), -0.5f,   4};
  std::vector<float> expected(shape.rows * shape.n), c(expected.size());
  gemm_block<float>(product, {shape.rows, taps.data(), expected.data(), shape.n, nullptr, shape.n},
                    0, kernel.panels(shape.n));
  GemmRows<float> stepped = {shape.rows, rows.data(), c.data(), shape.n, nullptr, shape.n};
  stepped.tap_step = tap_step;
  gemm_block<float>(product, stepped, 0, kernel.panels(shape.n));
  EXPECT_EQ(c, expected) << shape.rows << " rows, " << shape.n << " columns, " << shape.taps
                         << " x " << shape.depth;
}

TEST_P(GemmF32Test, TakesTapsAtEqualSteps) {
  if (!GetParam().runs_here()) GTEST_SKIP() << "this CPU lacks a feature it needs";
  size_t checked = 0;
  for (size_t n = 1; n <= 80; n += n < 17 ? 1 : 7) {
    const GemmF32 kernel = GetParam().run.for_product(n, 2);
    if (!kernel.steps_taps) continue;
    for (const size_t rows : {1, 6, 7, 23}) {
      check_steps(kernel, {rows, n, 10, 4}, 12);
      check_steps(kernel, {rows, n, 3, 3}, 31);
      ++checked;
    }
  }
  if (checked == 0) GTEST_SKIP() << "this variant takes no such taps";
}

// Ends of panels in whole vectors and in halves, alone and behind whole panels; with so many taps
// that they are taken in passes, too.
TEST_P(GemmF32Test, TakesPanelsThatEndAnywhere) {
  if (!GetParam().runs_here()) GTEST_SKIP() << "this CPU lacks a feature it needs";
  for (size_t n = 1; n <= 80; ++n) {
    for (const size_t depth : {1, 2, 5, 6, 24}) {
      for (const size_t taps : {1, 3}) {
        check<float>(GetParam(), {n % 27 + 1, n, taps, depth}, n % 2 == 0, -2, 3, 1e-6);
      }
    }
  }
  for (const size_t n : {4, 8, 12, 24, 40, 56, 61}) {
    check<float>(GetParam(), {13, n, 25, 1024}, false, -kInfinity, kInfinity, 1e-6);
    check<float>(GetParam(), {13, n, 25, 1024}, true, -5, 9, 1e-6);
  }
}

TEST_P(GemmF32Test, HalvesOfVectorsArePairsOfEvenDepths) {
  const GemmF32& kernel = GetParam().run;
  const size_t half = kernel.step / 2;
  EXPECT_FALSE(kernel.in_pairs);
  EXPECT_EQ(kernel.for_product(half, 6).in_pairs, kernel.run_in_pairs != nullptr);
  EXPECT_FALSE(kernel.for_product(half, 5).in_pairs);
  EXPECT_FALSE(kernel.for_product(half + 1, 6).in_pairs);
  EXPECT_FALSE(kernel.for_product(2 * half, 6).in_pairs);
}

// As the kernel computes with weights that were multiplied before they were packed.
TEST_P(GemmF32Test, ScalesPanelsInPairs) {
  std::mt19937 rng(5);
  for (const size_t n : {1, 7, 8, 20, 24, 54}) {
    const size_t k = 6;
    const GemmF32 kernel = GetParam().run.for_product(n, k);
    if (!kernel.in_pairs || kernel.panels(n) > 1) continue;
    std::vector<float> w = random_values<float>(n * k, rng);
    const std::vector<float> factors = random_values<float>(k, rng);
    std::vector<float> panel(kernel.packed_elements(n, k)), expected = panel;
    gemm_pack<float>({w.data(), n, k, k, 1, nullptr}, kernel, 0, 1, panel.data());
    for (size_t i = 0; i < w.size(); ++i) w[i] *= factors[i % k];
    gemm_pack<float>({w.data(), n, k, k, 1, nullptr}, kernel, 0, 1, expected.data());
    const size_t bias = kernel.bias_elements(n);
    std::vector<float> scaled(panel.size());
    gemm_scale_pairs(kernel, n, k, factors.data(), panel.data() + bias, scaled.data() + bias);
    EXPECT_EQ(scaled, expected);
  }
}

TEST_P(GemmF16Test, TakesEveryNumberOfRowsColumnsAndDepths) {
  if (!GetParam().runs_here()) GTEST_SKIP() << "this CPU lacks a feature it needs";
  check_remainders<Half>(GetParam(), 4e-3);
}

TEST_P(GemmF16Test, AgreesWithSumsInDouble) {
  if (!GetParam().runs_here()) GTEST_SKIP() << "this CPU lacks a feature it needs";
  for (const Shape& shape : kShapes) {
    check<Half>(GetParam(), shape, false, -kInfinity, kInfinity, 4e-3);
    check<Half>(GetParam(), shape, true, -0.5f, 0.75f, 4e-3);
  }
}

// One in the input makes its row NaN, one in the weights its column, whatever the clamp and however
// the tiles are cut.
template <class T>
void check_nans(const GemmKernel<T>& any) {
  std::mt19937 rng(11);
  for (size_t rows = 1; rows <= 2 * any.mr + 1; ++rows) {
    const size_t n = any.nr + rng() % any.nr + 1, depth = 1 + rng() % 12;
    const GemmKernel<T> kernel = any.for_product(n, depth);
    const size_t bad_row = rng() % rows, bad_column = rng() % n;
    std::vector<T> a = random_values<T>(rows * depth, rng), w = random_values<T>(n * depth, rng);
    a[bad_row * depth + rng() % depth] = T(std::numeric_limits<float>::quiet_NaN());
    w[bad_column * depth + rng() % depth] = T(std::numeric_limits<float>::quiet_NaN());
    std::vector<T> panels(kernel.packed_elements(n, depth));
    gemm_pack<T>({w.data(), n, depth, depth, 1, nullptr}, kernel, 0, kernel.panels(n),
                 panels.data());
    std::vector<const T*> pointers;
    for (size_t r = 0; r < rows; ++r) pointers.push_back(a.data() + r * depth);
    std::vector<T> c(rows * n);
    gemm_block<T>({kernel, n, 1, depth, panels.data(), 0, 6},
                  {rows, pointers.data(), c.data(), n, nullptr, 0}, 0, kernel.panels(n));
    for (size_t i = 0; i < c.size(); ++i) {
      ASSERT_EQ(std::isnan(static_cast<float>(c[i])), i / n == bad_row || i % n == bad_column)
          << "element " << i << " of " << rows << " x " << n << ", depth " << depth;
    }
  }
}

TEST_P(GemmF32Test, NansStayInTheirRowOrColumn) {
  if (!GetParam().runs_here()) GTEST_SKIP() << "this CPU lacks a feature it needs";
  check_nans<float>(GetParam().run);
}
TEST_P(GemmF16Test, NansStayInTheirRowOrColumn) {
  if (!GetParam().runs_here()) GTEST_SKIP() << "this CPU lacks a feature it needs";
  check_nans<Half>(GetParam().run);
}

// A residual network adds to the very tensor it writes.
void check_in_place(const GemmF32& any, size_t depth) {
  const size_t rows = 2 * any.mr + 1, n = 2 * any.nr + 3;
  const GemmF32 kernel = any.for_product(n, depth);
  std::mt19937 rng(7);
  const std::vector<float> a = random_values<float>(rows * depth, rng);
  const std::vector<float> w = random_values<float>(n * depth, rng);
  std::vector<float> panels(kernel.packed_elements(n, depth));
  gemm_pack<float>({w.data(), n, depth, depth, 1, nullptr}, kernel, 0, kernel.panels(n),
                   panels.data());
  std::vector<const float*> pointers;
  for (size_t r = 0; r < rows; ++r) pointers.push_back(a.data() + r * depth);
  const std::vector<float> added = random_values<float>(rows * n, rng);
  std::vector<float> apart(rows * n), in_place = added;
  const GemmProduct<float> product{kernel, n, 1, depth, panels.data(), -1, 1};
  gemm_block<float>(product, {rows, pointers.data(), apart.data(), n, added.data(), n}, 0,
                    kernel.panels(n));
  gemm_block<float>(product, {rows, pointers.data(), in_place.data(), n, in_place.data(), n}, 0,
                    kernel.panels(n));
  EXPECT_EQ(in_place, apart);
}

TEST_P(GemmF32Test, ResidualMayBeTheOutput) {
  if (!GetParam().runs_here()) GTEST_SKIP() << "this CPU lacks a feature it needs";
  check_in_place(GetParam().run, 5);
  check_in_place(GetParam().run, 6);
}

INSTANTIATE_TEST_SUITE_P(Variants, GemmF32Test,
                         testing::ValuesIn(gemm_f32_variants().begin(), gemm_f32_variants().end()),
                         [](const auto& test) { return std::string(test.param.name); });
INSTANTIATE_TEST_SUITE_P(Variants, GemmF16Test,
                         testing::ValuesIn(gemm_f16_variants().begin(), gemm_f16_variants().end()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace hone
