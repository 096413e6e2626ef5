#include "hone/kernels/gemm_bf16/gemm_bf16.h"

#include <cmath>
#include <limits>

#include "hone/base/aligned.h"
#include "hone/kernels/kernel_testing.h"

namespace hone {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct Shape {
  size_t rows, n, taps, depth;
  size_t k() const { return taps * depth; }
};

// A product and what it is made of.
struct Operands {
  Shape shape;
  std::vector<float> a;         // [rows][k]
  std::vector<float> w;         // [n][k]
  std::vector<float> bias;      // [n]
  std::vector<float> residual;  // [rows][n], or empty.
  float low = -kInfinity;
  float high = kInfinity;
};

Operands random_operands(const Shape& shape, bool residual, std::mt19937& rng) {
  return {.shape = shape,
          .a = random_values<float>(shape.rows * shape.k(), -1, 1, rng),
          .w = random_values<float>(shape.n * shape.k(), -1, 1, rng),
          .bias = random_values<float>(shape.n, -1, 1, rng),
          .residual = residual ? random_values<float>(shape.rows * shape.n, -1, 1, rng)
                               : std::vector<float>()};
}

// The rows of the result are `gap` elements longer than the product, and c stays as it is there.
void multiply(const GemmBf16Kernel& kernel, const Operands& x, size_t gap, const float* residual,
              float* c) {
  const auto& [rows, n, taps, depth] = x.shape;
  const size_t steps = kernel.steps(taps, depth), panels = kernel.panels(n);
  AlignedArray<std::byte> packed(panels * kernel.panel_bytes(steps));
  gemm_bf16_pack(kernel, {x.w.data(), n, taps * depth, taps * depth, 1, x.bias.data()}, depth, 0,
                 panels, packed.data());
  std::vector<const float*> pointers;
  for (size_t i = 0; i < rows * taps; ++i) pointers.push_back(x.a.data() + i * depth);
  AlignedArray<std::byte> scratch(kernel.rows_bytes(rows, steps));
  gemm_bf16_block({kernel, n, taps, depth, packed.data(), x.low, x.high},
                  {rows, pointers.data(), c, n + gap, residual, n}, 0, panels, scratch.data());
}

// Compares with sums in double of the operands rounded to bfloat16.
void check(const GemmBf16Kernel& kernel, const Operands& x) {
  const auto& [rows, n, taps, depth] = x.shape;
  constexpr size_t kGap = 3;
  constexpr float kUntouched = -99;
  std::vector<float> c(rows * (n + kGap), kUntouched);
  multiply(kernel, x, kGap, x.residual.empty() ? nullptr : x.residual.data(), c.data());
  const size_t k = x.shape.k();
  for (size_t r = 0; r < rows; ++r) {
    for (size_t o = 0; o < n; ++o) {
      double sum = x.bias[o];
      double size = std::abs(sum) + 1;
      for (size_t i = 0; i < k; ++i) {
        const double term = double{float{BFloat16(x.a[r * k + i])}} * BFloat16(x.w[o * k + i]);
        sum += term;
        size += std::abs(term);
      }
      if (!x.residual.empty()) sum += x.residual[r * n + o];
      const double expected = std::clamp<double>(sum, x.low, x.high);
      ASSERT_NEAR(c[r * (n + kGap) + o], expected, static_cast<double>(k) * 0x1p-23 * size)
          << "row " << r << " of " << rows << ", column " << o << " of " << n << ", " << taps
          << " taps of " << depth;
    }
    for (size_t o = n; o < n + kGap; ++o) ASSERT_EQ(c[r * (n + kGap) + o], kUntouched);
  }
}

HONE_VARIANT_TEST(GemmBf16Test, GemmBf16Kernel, gemm_bf16_variants);

// Up to two tiles and a remainder of rows, with and without a whole panel of columns.
TEST_P(GemmBf16Test, TakesEveryNumberOfRowsColumnsAndDepths) {
  const GemmBf16Kernel& kernel = GetParam().run;
  std::mt19937 rng(1);
  for (size_t rows = 1; rows <= 2 * kernel.mr + 1; ++rows) {
    for (size_t n = 1; n <= kernel.nr; ++n) {
      check(kernel, random_operands({rows, n, 1, n % 9 + 1}, n % 2 == 0, rng));
    }
    for (size_t depth = 1; depth <= 18; ++depth) {
      Operands x = random_operands({rows, kernel.nr, 1 + depth % 3, depth}, depth % 2 == 0, rng);
      x.low = -1;
      x.high = 1;
      check(kernel, x);
    }
  }
}

TEST_P(GemmBf16Test, AgreesWithSumsInDoubleOnRandomShapes) {
  std::mt19937 rng(2);
  for (int i = 0; i < 100; ++i) {
    const Shape shape{1 + rng() % 40, 1 + rng() % 70, 1 + rng() % 9, 1 + rng() % 60};
    Operands x = random_operands(shape, i % 2 == 0, rng);
    if (i % 3 == 0) x.low = 0;
    check(GetParam().run, x);
  }
}

// One weight of 1 for every value of k: the results are the rounded operands themselves.
TEST_P(GemmBf16Test, RoundsToNearestEven) {
  const std::vector<float> values = {1,
                                     1 + 0x1p-8f,              // A tie, down to even.
                                     1 + 0x3p-8f,              // A tie, up to even.
                                     1 + 0x1p-8f + 0x1p-20f,   // Above a tie.
                                     -1 - 0x3p-8f - 0x1p-20f,  // Below a tie, of the magnitude.
                                     3.38e38f,
                                     1e-37f,
                                     -0.1f,
                                     0};
  const size_t k = values.size();
  for (const size_t rows : {size_t{1}, size_t{2}, 2 * GetParam().run.mr + 3}) {
    Operands x{.shape = {rows, k, 1, k},
               .a = {},
               .w = std::vector<float>(k * k),
               .bias = std::vector<float>(k),
               .residual = {}};
    for (size_t r = 0; r < rows; ++r) x.a.insert(x.a.end(), values.begin(), values.end());
    for (size_t i = 0; i < k; ++i) x.w[i * k + i] = 1;
    std::vector<float> c(rows * k);
    multiply(GetParam().run, x, 0, nullptr, c.data());
    for (size_t i = 0; i < c.size(); ++i) EXPECT_EQ(c[i], float{BFloat16(values[i % k])});
  }
}

TEST_P(GemmBf16Test, NansStayInTheirRow) {
  std::mt19937 rng(3);
  const size_t rows = 2 * GetParam().run.mr + 1, bad = rows - 2;
  Operands x = random_operands({rows, GetParam().run.nr + 3, 1, 7}, false, rng);
  x.a[bad * 7 + 6] = kNan;
  x.a[7] = kInfinity;
  std::vector<float> c(rows * x.shape.n);
  multiply(GetParam().run, x, 0, nullptr, c.data());
  for (size_t i = 0; i < c.size(); ++i) {
    const size_t row = i / x.shape.n;
    EXPECT_EQ(std::isnan(c[i]), row == bad) << i;
    EXPECT_EQ(std::isinf(c[i]), row == 1) << i;
  }
}

// A residual network adds to the very tensor it writes.
TEST_P(GemmBf16Test, ResidualMayBeTheOutput) {
  std::mt19937 rng(4);
  const GemmBf16Kernel& kernel = GetParam().run;
  const Operands x = random_operands({2 * kernel.mr + 1, 2 * kernel.nr + 3, 1, 5}, true, rng);
  std::vector<float> apart(x.residual.size()), in_place = x.residual;
  multiply(kernel, x, 0, x.residual.data(), apart.data());
  multiply(kernel, x, 0, in_place.data(), in_place.data());
  EXPECT_EQ(in_place, apart);
}

}  // namespace
}  // namespace hone
