#include "hone/quantize/recover/gram.h"

#include <gtest/gtest.h>

#include "hone/quantize/recover/recover_testing.h"

namespace hone {
namespace {

struct Rows {
  size_t groups, inputs, outputs, count;
  std::vector<float> x, y;
};

Rows random_rows(size_t groups, size_t inputs, size_t outputs, size_t count) {
  Rows rows{groups, inputs, outputs, count, {}, {}};
  std::mt19937 random(3);
  std::normal_distribution<float> next(0.5f, 1);
  for (size_t i = 0; i < count * groups * inputs; ++i) rows.x.push_back(next(random));
  for (size_t i = 0; i < count * groups * outputs; ++i) rows.y.push_back(next(random));
  return rows;
}

Result<GramSums> sums_of(const Rows& rows, bool centered) {
  GramSums sums = GramSums::make(rows.groups, rows.inputs, rows.outputs);
  for (size_t r = 0; r < rows.count; ++r) {
    sums.add(rows.x.data() + r * rows.groups * rows.inputs,
             rows.y.data() + r * rows.groups * rows.outputs);
  }
  HONE_RETURN_IF_ERROR(sums.finish(centered));
  return sums;
}

double mean(const std::vector<float>& values, size_t width, size_t column) {
  double sum = 0;
  for (size_t i = column; i < values.size(); i += width) sum += values[i];
  return sum * static_cast<double>(width) / static_cast<double>(values.size());
}

// The mean over the rows of a product, less the product of the means.
double plain_product(const std::vector<float>& a, size_t a_width, size_t i,
                     const std::vector<float>& b, size_t b_width, size_t j, bool centered) {
  const size_t count = a.size() / a_width;
  double sum = 0;
  for (size_t r = 0; r < count; ++r) sum += double{a[r * a_width + i]} * b[r * b_width + j];
  const double means = centered ? mean(a, a_width, i) * mean(b, b_width, j) : 0;
  return sum / static_cast<double>(count) - means;
}

void expect_plain_sums(const Rows& rows, bool centered) {
  const auto sums = sums_of(rows, centered);
  ASSERT_TRUE(sums.ok()) << sums.error().message;
  EXPECT_EQ(sums->rows(), static_cast<int64_t>(rows.count));
  const size_t x_width = rows.groups * rows.inputs;
  const size_t y_width = rows.groups * rows.outputs;
  for (size_t g = 0; g < rows.groups; ++g) {
    for (size_t i = 0; i < rows.inputs; ++i) {
      const size_t at = g * rows.inputs + i;
      EXPECT_NEAR(sums->input_means()[at], mean(rows.x, x_width, at), 1e-6);
      for (size_t j = 0; j < rows.inputs; ++j) {
        EXPECT_NEAR(
            sums->products(g)[i * rows.inputs + j],
            plain_product(rows.x, x_width, at, rows.x, x_width, g * rows.inputs + j, centered),
            1e-5);
      }
      for (size_t o = 0; o < rows.outputs; ++o) {
        EXPECT_NEAR(
            sums->with_outputs(g)[i * rows.outputs + o],
            plain_product(rows.x, x_width, at, rows.y, y_width, g * rows.outputs + o, centered),
            1e-5);
      }
    }
  }
  for (size_t o = 0; o < y_width; ++o) {
    EXPECT_NEAR(sums->output_means()[o], mean(rows.y, y_width, o), 1e-6);
    EXPECT_NEAR(sums->output_squares()[o],
                plain_product(rows.y, y_width, o, rows.y, y_width, o, centered), 1e-5);
  }
}

TEST(GramSums, AreThePlainOnes) {
  for (const bool centered : {false, true}) {
    expect_plain_sums(random_rows(1, 12, 5, 700), centered);  // Chunks and a rest.
    expect_plain_sums(random_rows(1, 7, 3, 256), centered);
    expect_plain_sums(random_rows(6, 9, 1, 300), centered);
    expect_plain_sums(random_rows(2, 4, 0, 10), centered);
  }
}

TEST(GramSums, MultiplyWeights) {
  for (const size_t groups : {size_t{1}, size_t{3}}) {
    const auto sums = sums_of(random_rows(groups, 8, 2, 50), true);
    ASSERT_TRUE(sums.ok());
    const Tensor weights = random_floats({static_cast<int64_t>(groups), 8, 5}, 1, 1);
    const Tensor product = sums->times(weights);
    for (size_t g = 0; g < groups; ++g) {
      for (size_t i = 0; i < 8; ++i) {
        for (size_t o = 0; o < 5; ++o) {
          double sum = 0;
          for (size_t j = 0; j < 8; ++j) {
            sum +=
                double{sums->products(g)[i * 8 + j]} * weights.data<float>()[(g * 8 + j) * 5 + o];
          }
          EXPECT_NEAR(product.data<float>()[(g * 8 + i) * 5 + o], sum, 1e-5);
        }
      }
    }
  }
}

TEST(GramSums, NeedRows) {
  EXPECT_FALSE(GramSums::make(1, 2, 1).finish(true).ok());
}

}  // namespace
}  // namespace hone
