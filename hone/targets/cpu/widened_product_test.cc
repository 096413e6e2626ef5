#include "hone/targets/cpu/widened_product.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "hone/base/aligned.h"

namespace hone::cpu {
namespace {

struct Sizes {
  size_t rows, columns, taps, depth;
};

std::vector<Half> random_halves(size_t n, std::mt19937& random) {
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<Half> values(n);
  for (Half& value : values) value = Half(uniform(random));
  return values;
}

// A product with its operands. Rows lie one behind another, and so do their taps but for every third.
struct Operands {
  Sizes sizes;
  std::vector<Half> x, weights, bias, residual;
  std::vector<const Half*> a;

  Operands(const Sizes& s, std::mt19937& random)
      : sizes(s),
        x(random_halves(s.rows * k() + s.depth, random)),
        weights(random_halves(s.columns * k(), random)),
        bias(random_halves(s.columns, random)),
        residual(random_halves(s.rows * s.columns, random)) {
    for (size_t i = 0; i < s.rows * s.taps; ++i) {
      a.push_back(x.data() + i * s.depth + (i % 3 == 2 ? s.depth : 0));
    }
  }

  size_t k() const { return sizes.taps * sizes.depth; }

  // Clamped, and the sum of the magnitudes of what was added.
  std::pair<double, double> expected(size_t row, size_t column, const ProductBounds& bounds) const {
    const double start[] = {bias[column], residual[row * sizes.columns + column]};
    double sum = start[0] + start[1], magnitude = std::abs(start[0]) + std::abs(start[1]);
    for (size_t i = 0; i < k(); ++i) {
      const double product =
          static_cast<double>(a[row * sizes.taps + i / sizes.depth][i % sizes.depth]) *
          static_cast<double>(weights[column * k() + i]);
      sum += product;
      magnitude += std::abs(product);
    }
    return {std::clamp<double>(sum, bounds.low, bounds.high), magnitude};
  }
};

// In two ranges of panels, as two threads would.
std::vector<Half> run_in_two(const WidenedProduct& product, const Operands& operands,
                             const ProductBounds& bounds) {
  const Sizes& s = operands.sizes;
  AlignedArray<std::byte> packed(product.panels_bytes());
  AlignedArray<std::byte> scratch(product.scratch_bytes(s.rows));
  product.pack({.data = operands.weights.data(),
                .n = s.columns,
                .k = operands.k(),
                .column_stride = operands.k(),
                .depth_stride = 1,
                .bias = operands.bias.data()},
               packed.data());
  std::vector<Half> y(s.rows * s.columns);
  const GemmRows<Half> rows{.rows = s.rows,
                            .a = operands.a.data(),
                            .c = y.data(),
                            .c_stride = s.columns,
                            .residual = operands.residual.data(),
                            .residual_stride = s.columns};
  const size_t half = product.panels() / 2;
  product.run(packed.data(), bounds, rows, 0, half, scratch.data());
  product.run(packed.data(), bounds, rows, half, product.panels(), scratch.data());
  return y;
}

void expect_sums(const Sizes& s, std::mt19937& random) {
  const Operands operands(s, random);
  const ProductBounds bounds{.low = -2, .high = 5};
  const WidenedProduct product({.columns = s.columns, .taps = s.taps, .depth = s.depth});
  const std::vector<Half> y = run_in_two(product, operands, bounds);
  for (size_t row = 0; row < s.rows; ++row) {
    for (size_t column = 0; column < s.columns; ++column) {
      const auto [value, magnitude] = operands.expected(row, column, bounds);
      const double of_sum = static_cast<double>(operands.k()) * std::exp2(-24) * magnitude;
      ASSERT_NEAR(y[row * s.columns + column], value,
                  of_sum + std::exp2(-11) * std::abs(value) + 1e-7)
          << s.rows << " x " << s.columns << ", " << s.taps << " taps of " << s.depth << ", row "
          << row << ", column " << column;
    }
  }
}

TEST(WidenedProduct, IsTheSumOfProducts) {
  std::mt19937 random(1);
  const auto up_to = [&](size_t most) {
    return std::uniform_int_distribution<size_t>(1, most)(random);
  };
  for (int i = 0; i < 30; ++i) expect_sums({up_to(150), up_to(150), up_to(4), up_to(60)}, random);
}

// Weights that do not stay in the second-level cache are halves.
TEST(WidenedProduct, TakesManyValuesOfKInTurns) {
  std::mt19937 random(2);
  const size_t most = second_level_cache_bytes() / 4 / sizeof(float);
  const size_t depth = 1400;
  const Sizes large{.rows = 9, .columns = most / depth + 30, .taps = 1, .depth = depth};
  expect_sums(large, random);
  const WidenedProduct product({.columns = large.columns, .taps = 1, .depth = depth});
  EXPECT_LT(product.panels_bytes(), depth * large.columns * sizeof(float));
  expect_sums({.rows = 60, .columns = 70, .taps = 3, .depth = 700}, random);
}

}  // namespace
}  // namespace hone::cpu
