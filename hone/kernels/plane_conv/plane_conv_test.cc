#include "hone/kernels/plane_conv/plane_conv.h"

#include <gtest/gtest.h>

#include "hone/kernels/kernel_testing.h"

namespace hone {
namespace {

constexpr float kNoLimit = std::numeric_limits<float>::infinity();

struct PlaneCase {
  size_t pixels, columns, lines, taps, stride;

  size_t line_elements() const { return (pixels - 1) * stride + taps; }
  size_t k() const { return lines * taps; }
};

// What the kernel makes of lines and weights, [columns][k], without the rest of its memory.
std::vector<float> run_case(const PlaneConv& kernel, const PlaneCase& c,
                            const std::vector<float>& lines, const std::vector<float>& weights,
                            const std::vector<float>& bias, float low, float high) {
  const GemmF32 layout = kernel.layout();
  std::vector<float> panels(layout.packed_elements(c.columns, c.k()));
  gemm_pack<float>({weights.data(), c.columns, c.k(), c.k(), 1, bias.data()}, layout, 0,
                   layout.panels(c.columns), panels.data());
  std::vector<const float*> x;
  for (size_t i = 0; i < c.lines; ++i) x.push_back(lines.data() + i * c.line_elements());
  constexpr float kUntouched = 1234;
  std::vector<float> y(c.pixels * c.columns + 20, kUntouched);
  kernel.run({.pixels = c.pixels,
              .columns = c.columns,
              .lines = c.lines,
              .taps = c.taps,
              .stride = c.stride,
              .x = x.data(),
              .panels = panels.data(),
              .y = y.data(),
              .low = low,
              .high = high});
  for (size_t i = c.pixels * c.columns; i < y.size(); ++i) EXPECT_EQ(y[i], kUntouched);
  y.resize(c.pixels * c.columns);
  return y;
}

void check_case(const PlaneConv& kernel, const PlaneCase& c, std::mt19937& rng) {
  const auto lines = random_values<float>(c.lines * c.line_elements(), -1, 1, rng);
  const auto weights = random_values<float>(c.columns * c.k(), -1, 1, rng);
  const auto bias = random_values<float>(c.columns, -1, 1, rng);
  const bool clamps = rng() % 2 == 0;
  const float low = clamps ? -0.5f : -kNoLimit, high = clamps ? 0.75f : kNoLimit;
  const std::vector<float> y = run_case(kernel, c, lines, weights, bias, low, high);
  for (size_t i = 0; i < y.size(); ++i) {
    const size_t pixel = i / c.columns, column = i % c.columns;
    double sum = bias[column], size = std::abs(sum);
    for (size_t k = 0; k < c.k(); ++k) {
      const double term =
          double{lines[k / c.taps * c.line_elements() + pixel * c.stride + k % c.taps]} *
          weights[column * c.k() + k];
      sum += term;
      size += std::abs(term);
    }
    const double expected = std::min<double>(std::max<double>(sum, low), high);
    ASSERT_NEAR(y[i], expected, 1e-6 * size)
        << c.pixels << " pixels, " << c.columns << " columns, " << c.lines << " lines of " << c.taps
        << " taps, stride " << c.stride << ", element " << i;
  }
}

HONE_VARIANT_TEST(PlaneConvTest, PlaneConv, plane_conv_variants);

TEST_P(PlaneConvTest, TakesEveryNumberOfPixelsAndColumns) {
  std::mt19937 rng(1);
  for (const size_t stride : {size_t{1}, size_t{2}}) {
    for (size_t pixels = 1; pixels <= 60; ++pixels) {
      const size_t columns = 1 + rng() % 140;
      check_case(GetParam().run, {pixels, columns, 9, 3, stride}, rng);
    }
    for (size_t columns = 1; columns <= 130; ++columns) {
      const size_t pixels = 1 + rng() % 40;
      check_case(GetParam().run, {pixels, columns, 1 + rng() % 6, 1 + rng() % 7, stride}, rng);
    }
  }
}

// A NaN in a line reaches the pixels whose taps lie on it and no others, whatever the clamp.
TEST_P(PlaneConvTest, NansStayWithTheirPixels) {
  std::mt19937 rng(2);
  for (const size_t columns : {size_t{5}, size_t{32}, size_t{70}}) {
    const PlaneCase c{40, columns, 2, 3, 2};
    auto lines = random_values<float>(c.lines * c.line_elements(), -1, 1, rng);
    constexpr size_t kBad = 20;  // Under pixels 9 and 10.
    lines[kBad] = std::numeric_limits<float>::quiet_NaN();
    const auto weights = random_values<float>(columns * c.k(), -1, 1, rng);
    const std::vector<float> bias(columns);
    const auto y = run_case(GetParam().run, c, lines, weights, bias, 0, 6);
    for (size_t i = 0; i < y.size(); ++i) {
      const size_t pixel = i / columns;
      EXPECT_EQ(std::isnan(y[i]), pixel == 9 || pixel == 10) << "pixel " << pixel;
    }
  }
}

}  // namespace
}  // namespace hone
