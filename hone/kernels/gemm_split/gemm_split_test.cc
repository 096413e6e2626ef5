#include "hone/kernels/gemm_split/gemm_split.h"

#include <cmath>
#include <limits>

#include "hone/base/aligned.h"
#include "hone/kernels/kernel_testing.h"

namespace hone {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// A product and what it is made of.
struct SplitOperands {
  size_t rows, n, taps, depth;
  std::vector<float> a;         // [rows][k]
  std::vector<float> w;         // [n][k]
  std::vector<float> bias;      // [n]
  std::vector<float> residual;  // [rows][n], or empty.
  float low = -kInfinity;
  float high = kInfinity;

  size_t k() const { return taps * depth; }
  GemmWeights<float> weights() const { return {w.data(), n, k(), k(), 1, bias.data()}; }
};

SplitOperands random_split(size_t rows, size_t n, size_t taps, size_t depth, bool residual,
                           std::mt19937& rng) {
  const size_t k = taps * depth;
  SplitOperands x{rows, n, taps, depth, {}, {}, {}, {}};
  x.a = random_values<float>(rows * k, -1, 1, rng);
  x.w = random_values<float>(n * k, -1, 1, rng);
  x.bias = random_values<float>(n, -1, 1, rng);
  if (residual) x.residual = random_values<float>(rows * n, -1, 1, rng);
  return x;
}

// By all panels at once, or half of them after the other half as threads share them. The rows of the
// result are `gap` elements longer than the product, and c stays as it is there.
void multiply_split(const GemmSplitKernel& kernel, const SplitOperands& x, size_t gap,
                    const float* residual, float* c) {
  const size_t panels = kernel.panels(x.n);
  AlignedArray<std::byte> packed(panels * kernel.panel_bytes(x.k()));
  gemm_split_pack(kernel, x.weights(), 0, panels, packed.data());
  std::vector<const float*> pointers;
  for (size_t i = 0; i < x.rows * x.taps; ++i) pointers.push_back(x.a.data() + i * x.depth);
  AlignedArray<std::byte> scratch(kernel.rows_bytes(x.rows, x.k()));
  const size_t cut = x.rows % 2 == 0 ? panels / 2 : panels;
  for (const auto& [first, last] : {std::pair{size_t{0}, cut}, std::pair{cut, panels}}) {
    if (first == last) continue;
    gemm_split_block({kernel, x.n, x.taps, x.depth, packed.data(), x.low, x.high},
                     {x.rows, pointers.data(), c, x.n + gap, residual, x.n}, first, last,
                     scratch.data());
  }
}

// Compares with sums in double.
void check_split(const GemmSplitKernel& kernel, const SplitOperands& x) {
  constexpr size_t kGap = 3;
  constexpr float kUntouched = -99;
  const size_t k = x.k(), pitch = x.n + kGap;
  std::vector<float> c(x.rows * pitch, kUntouched);
  multiply_split(kernel, x, kGap, x.residual.empty() ? nullptr : x.residual.data(), c.data());
  for (size_t r = 0; r < x.rows; ++r) {
    for (size_t o = 0; o < x.n; ++o) {
      double sum = x.bias[o];
      double size = std::abs(sum);
      for (size_t i = 0; i < k; ++i) {
        const double term = double{x.a[r * k + i]} * x.w[o * k + i];
        sum += term;
        size += std::abs(term);
      }
      if (!x.residual.empty()) {
        sum += x.residual[r * x.n + o];
        size += std::abs(x.residual[r * x.n + o]);
      }
      const double expected = std::clamp<double>(sum, x.low, x.high);
      ASSERT_NEAR(c[r * pitch + o], expected, (static_cast<double>(k) + 20) * 0x1p-24 * size)
          << "row " << r << " of " << x.rows << ", column " << o << " of " << x.n << ", " << x.taps
          << " taps of " << x.depth;
    }
    for (size_t o = x.n; o < pitch; ++o) ASSERT_EQ(c[r * pitch + o], kUntouched);
  }
}

HONE_VARIANT_TEST(GemmSplitTest, GemmSplitKernel, gemm_split_variants);

// Up to two tiles and a remainder of rows, with and without a whole panel of columns.
TEST_P(GemmSplitTest, TakesEveryNumberOfRowsColumnsAndDepths) {
  const GemmSplitKernel& kernel = GetParam().run;
  std::mt19937 rng(1);
  for (size_t rows = 1; rows <= 2 * kernel.mr + 1; ++rows) {
    for (size_t n = 1; n <= kernel.nr; n += 1 + rows % 3) {
      check_split(kernel, random_split(rows, n, 1, n % 9 + 1, n % 2 == 0, rng));
    }
    for (size_t depth = 1; depth <= 18; ++depth) {
      SplitOperands x = random_split(rows, kernel.nr, 1 + depth % 3, depth, depth % 2 == 0, rng);
      x.low = -1;
      x.high = 1;
      check_split(kernel, x);
    }
  }
}

TEST_P(GemmSplitTest, AgreesWithSumsInDoubleOnRandomShapes) {
  std::mt19937 rng(2);
  for (int i = 0; i < 100; ++i) {
    SplitOperands x = random_split(1 + rng() % 40, 1 + rng() % 70, 1 + rng() % 9, 1 + rng() % 90,
                                   i % 2 == 0, rng);
    if (i % 3 == 0) x.low = 0;
    check_split(GetParam().run, x);
  }
}

// Operands whose magnitudes lie far apart, and sums that cancel.
TEST_P(GemmSplitTest, IsAsGoodAsFloatsWhateverTheMagnitudes) {
  std::mt19937 rng(5);
  for (int i = 0; i < 20; ++i) {
    SplitOperands x = random_split(17, 33, 1, 64, false, rng);
    for (std::vector<float>* values : {&x.a, &x.w}) {
      for (float& value : *values) value = std::ldexp(value, static_cast<int>(rng() % 60) - 30);
    }
    for (size_t r = 0; r < x.rows; ++r) {
      for (size_t k = 0; k < 32; ++k) x.a[r * 64 + 32 + k] = -x.a[r * 64 + k];
    }
    check_split(GetParam().run, x);
  }
}

// One weight of 1 for every value of k: the results are the operands, all 24 bits of them.
TEST_P(GemmSplitTest, LosesNoBit) {
  std::mt19937 rng(6);
  const size_t k = 64;
  SplitOperands x = random_split(2 * GetParam().run.mr + 3, k, 1, k, false, rng);
  for (float& value : x.a) value = std::ldexp(value, static_cast<int>(rng() % 160) - 80);
  std::ranges::fill(x.w, 0.0F);
  std::ranges::fill(x.bias, 0.0F);
  for (size_t i = 0; i < k; ++i) x.w[i * k + i] = 1;
  std::vector<float> c(x.a.size());
  multiply_split(GetParam().run, x, 0, nullptr, c.data());
  EXPECT_EQ(c, x.a);
}

// As in floats: infinities and NaNs in their rows, the others untouched, wherever those lie.
TEST_P(GemmSplitTest, WhatIsNoNumberStaysInItsRow) {
  std::mt19937 rng(7);
  const size_t rows = 3 * GetParam().run.mr, n = 2 * GetParam().run.nr + 3, k = 40;
  for (size_t bad = 0; bad < rows; bad += 1 + rng() % 9) {
    SplitOperands x = random_split(rows, n, 1, k, true, rng);
    x.a[bad * k + rng() % k] = kNan;
    std::vector<float> c(rows * n);
    multiply_split(GetParam().run, x, 0, x.residual.data(), c.data());
    for (size_t i = 0; i < c.size(); ++i) ASSERT_EQ(std::isnan(c[i]), i / n == bad) << i;
  }
}

TEST_P(GemmSplitTest, WhatIsNoNumberIsAsInFloats) {
  std::mt19937 rng(3);
  const size_t rows = 2 * GetParam().run.mr + 1, bad = rows - 2;
  SplitOperands x = random_split(rows, GetParam().run.nr + 3, 1, 7, true, rng);
  x.a[bad * 7 + 6] = kNan;
  x.a[7] = kInfinity;
  x.a[15] = 3.4e38f;
  for (float& weight : x.w) weight = 0.5F;
  std::vector<float> c(rows * x.n);
  multiply_split(GetParam().run, x, 0, x.residual.data(), c.data());
  for (size_t i = 0; i < c.size(); ++i) {
    const size_t row = i / x.n;
    EXPECT_EQ(std::isnan(c[i]), row == bad) << i;
    if (row == 1) {
      EXPECT_EQ(c[i], kInfinity) << i;
    }
    if (row == 2) {
      EXPECT_FLOAT_EQ(c[i], 1.7e38f) << i;
    }
    if (row != 1 && row != 2 && row != bad) {
      EXPECT_LT(std::abs(c[i]), 10) << i;
    }
  }
}

TEST(GemmSplit, WeightsThatAreNoNumbersAreNotTaken) {
  std::mt19937 rng(4);
  SplitOperands x = random_split(1, 5, 1, 7, false, rng);
  EXPECT_TRUE(gemm_split_takes(x.weights()));
  for (const float weight : {kNan, kInfinity, -kInfinity, 2e38f}) {
    SplitOperands other = x;
    other.w[20] = weight;
    EXPECT_FALSE(gemm_split_takes(other.weights())) << weight;
  }
  x.bias[4] = kNan;
  EXPECT_FALSE(gemm_split_takes(x.weights()));
}

// A residual network adds to the very tensor it writes.
TEST_P(GemmSplitTest, ResidualMayBeTheOutput) {
  std::mt19937 rng(4);
  const GemmSplitKernel& kernel = GetParam().run;
  SplitOperands x = random_split(2 * kernel.mr + 1, 2 * kernel.nr + 3, 1, 5, true, rng);
  for (const float first : {x.a[0], kInfinity}) {
    x.a[0] = first;
    std::vector<float> apart(x.residual.size()), in_place = x.residual;
    multiply_split(kernel, x, 0, x.residual.data(), apart.data());
    multiply_split(kernel, x, 0, in_place.data(), in_place.data());
    EXPECT_EQ(in_place, apart);
  }
}

}  // namespace
}  // namespace hone
