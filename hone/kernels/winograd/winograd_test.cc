#include "hone/kernels/winograd/winograd.h"

#include <limits>

#include "hone/kernels/kernel_testing.h"

namespace hone {
namespace {

HONE_VARIANT_TEST(WinogradF32Test, WinogradF32, winograd_f32_variants);
HONE_VARIANT_TEST(WinogradF16Test, WinogradF16, winograd_f16_variants);

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// y at one output, in double.
template <class T>
double direct(const WinogradShape& s, const std::vector<T>& x, const std::vector<float>& w,
              size_t oy, size_t ox, size_t o) {
  double sum = 0;
  for (size_t ky = 0; ky < 3; ++ky) {
    for (size_t kx = 0; kx < 3; ++kx) {
      const size_t row = oy + ky - s.pad_top;  // Wraps to a huge number above the image.
      const size_t column = ox + kx - s.pad_left;
      if (row >= s.in_h || column >= s.in_w) continue;
      for (size_t c = 0; c < s.inputs; ++c) {
        sum += double{static_cast<float>(x[(row * s.in_w + column) * s.inputs + c])} *
               w[((o * 3 + ky) * 3 + kx) * s.inputs + c];
      }
    }
  }
  return sum;
}

template <class T>
void check(const WinogradKernel<T>& kernel, const WinogradShape& s, bool residual, float low,
           float high, size_t gap = 0) {
  std::mt19937 rng(5);
  const auto x = random_values<T>(s.in_h * s.in_w * s.inputs, -1, 1, rng);
  const auto w = random_values<float>(s.outputs * 9 * s.inputs, -1, 1, rng);
  const auto bias = random_values<float>(s.outputs, -1, 1, rng);
  const auto added = random_values<T>(s.out_h * s.out_w * s.outputs, -1, 1, rng);
  std::vector<float> u(s.points() * s.outputs * s.inputs);
  winograd_weights(s, w.data(), u.data());
  const size_t stride = s.outputs + gap;
  const T untouched(7.0f);
  // A residual is the output itself, as a network may have it, where both are dense.
  std::vector<T> y = gap == 0 ? added : std::vector<T>(s.out_h * s.out_w * stride, untouched);
  const size_t half = s.tiles() / 2;
  for (const auto& [first, last] : {std::pair{size_t{0}, half}, std::pair{half, s.tiles()}}) {
    const size_t tiles = last - first;
    std::vector<float> v(s.points() * tiles * s.inputs);
    std::vector<float> products(s.points() * tiles * s.outputs);
    kernel.input(s, first, last, x.data(), v.data());
    for (size_t i = 0; i < products.size(); ++i) {
      const size_t point = i / s.outputs / tiles;
      const float* from = v.data() + i / s.outputs * s.inputs;
      const float* factors = u.data() + (point * s.outputs + i % s.outputs) * s.inputs;
      for (size_t c = 0; c < s.inputs; ++c) products[i] += from[c] * factors[c];
    }
    kernel.output(
        s, first, last, products.data(),
        {bias.data(), residual ? (gap == 0 ? y : added).data() : nullptr, low, high, stride},
        y.data());
  }
  for (size_t i = 0; i < y.size(); ++i) {
    if (i % stride < s.outputs) continue;
    ASSERT_EQ(float{y[i]}, float{untouched}) << i;
  }
  for (size_t i = 0; i < added.size(); ++i) {
    const size_t o = i % s.outputs;
    double expected =
        bias[o] + direct(s, x, w, i / s.outputs / s.out_w, i / s.outputs % s.out_w, o);
    if (residual) expected += static_cast<float>(added[i]);
    expected = std::min<double>(std::max<double>(expected, low), high);
    const double rounding = sizeof(T) == 2 ? std::abs(expected) / 2048 + 1e-7 : 0;
    ASSERT_NEAR(static_cast<float>(y[i / s.outputs * stride + o]), expected,
                1e-5 * static_cast<double>(9 * s.inputs) + rounding)
        << i;
  }
}

template <class T>
void check_shapes(const WinogradKernel<T>& kernel) {
  for (const size_t m : {2, 4}) {
    check(kernel, {m, 8, 8, 8, 8, 1, 1, 4, 4}, false, -kInfinity, kInfinity);
    check(kernel, {m, 7, 9, 7, 9, 1, 1, 5, 6}, true, -kInfinity, kInfinity);
    check(kernel, {m, 6, 5, 4, 3, 0, 0, 3, 9}, false, -0.5f, 1);
    check(kernel, {m, 3, 3, 5, 5, 2, 2, 8, 1}, true, 0, kInfinity);
    check(kernel, {m, 7, 9, 7, 9, 1, 1, 5, 33}, true, -kInfinity, kInfinity, 3);
    check(kernel, {m, 7, 9, 7, 9, 1, 1, 5, 16}, false, 0, kInfinity, 1);
    // Tiles inside the image, and vectors of every width with and without a remainder.
    check(kernel, {m, 13, 15, 13, 15, 1, 1, 21, 37}, true, -kInfinity, kInfinity);
    check(kernel, {m, 14, 12, 12, 10, 0, 0, 32, 16}, false, -1, 1);
  }
}

TEST_P(WinogradF32Test, AgreesWithTheDirectForm) {
  check_shapes(GetParam().run);
}
TEST_P(WinogradF16Test, AgreesWithTheDirectForm) {
  check_shapes(GetParam().run);
}

// One in the products makes an output NaN, whatever the clamp.
TEST_P(WinogradF32Test, NansStayNan) {
  const WinogradShape s{2, 4, 4, 4, 4, 1, 1, 3, 7};
  std::vector<float> products(s.points() * s.tiles() * s.outputs);
  products[0] = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> bias(s.outputs);
  std::vector<float> y(s.out_h * s.out_w * s.outputs);
  GetParam().run.output(s, 0, s.tiles(), products.data(), {bias.data(), nullptr, 0, 6, s.outputs},
                        y.data());
  EXPECT_TRUE(std::isnan(y[0]));
  EXPECT_EQ(y[1], 0);
}

}  // namespace
}  // namespace hone
