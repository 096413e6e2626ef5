#include "hone/kernels/hybrid/hybrid.h"

#include <gtest/gtest.h>

#include <cstring>

#include "hone/kernels/kernel_testing.h"

namespace hone {
namespace {

HONE_VARIANT_TEST(HybridTest, HybridKernel, hybrid_variants);

const HybridKernel& reference() {
  return hybrid_variants().back().run;
}

// Bits rather than values: NaN equals NaN, and -0 is not 0.
template <class T>
void expect_same_bits(const std::vector<T>& actual, const std::vector<T>& expected, size_t n) {
  ASSERT_EQ(actual.size(), expected.size());
  if (expected.empty()) return;
  EXPECT_EQ(std::memcmp(actual.data(), expected.data(), actual.size() * sizeof(T)), 0) << "n " << n;
}

TEST_P(HybridTest, FindsTheRange) {
  std::mt19937 rng(1);
  for (size_t n = 0; n <= 150; ++n) {
    for (const float low : {-5.0f, 1.0f}) {
      std::vector<float> x = random_values<float>(n, low, low + 4, rng);
      if (n % 3 == 0) plant_nans(x, rng);
      float expected[2], actual[2];
      reference().range(n, x.data(), &expected[0], &expected[1]);
      GetParam().run.range(n, x.data(), &actual[0], &actual[1]);
      EXPECT_EQ(actual[0], expected[0]) << "n " << n;
      EXPECT_EQ(actual[1], expected[1]) << "n " << n;
    }
  }
}

TEST_P(HybridTest, QuantizesToTheBit) {
  std::mt19937 rng(2);
  for (size_t n = 0; n <= 300; ++n) {
    const bool symmetric = n % 2 == 0;
    const HybridSteps steps{.inverse = n % 3 == 0 ? 4.0f : 25.31f,
                            .zero_point = symmetric ? 0 : random_integers<int8_t>(1, rng)[0],
                            .low = symmetric ? -127.0f : -128.0f};
    std::vector<float> x = random_values<float>(n, -7, 7, rng);
    for (float& v : x) {
      if (rng() % 2 == 0) v = std::nearbyint(8 * v) / 8;  // Ties, where the inverse is 4.
      if (rng() % 8 == 0) v = std::nextafter(v, v * 2);
      if (rng() % 20 == 0) v *= 1e30f;
    }
    if (n % 5 == 0) plant_nans(x, rng);
    std::vector<int8_t> expected(n), actual(n);
    reference().to_bytes(steps, n, x.data(), expected.data());
    GetParam().run.to_bytes(steps, n, x.data(), actual.data());
    EXPECT_EQ(actual, expected) << "n " << n;
    std::vector<float> expected_floats(n), actual_floats(n);
    reference().to_whole_floats(steps, n, x.data(), expected_floats.data());
    GetParam().run.to_whole_floats(steps, n, x.data(), actual_floats.data());
    expect_same_bits(actual_floats, expected_floats, n);
  }
}

TEST_P(HybridTest, ScalesToTheBit) {
  std::mt19937 rng(3);
  for (size_t n = 0; n <= 100; ++n) {
    const std::vector<float> scales = random_values<float>(n, 1e-4f, 1e-2f, rng);
    const std::vector<float> bias =
        n % 2 == 0 ? random_values<float>(n, -3, 3, rng) : std::vector<float>(n, -0.0f);
    const std::vector<int32_t> weight_sums = random_integers<int32_t>(n, rng);
    const HybridScales p{.row_scale = 0.0371f,
                         .zero_point = random_integers<int8_t>(1, rng)[0],
                         .weight_sums = weight_sums.data(),
                         .weight_scales = scales.data(),
                         .bias = bias.data()};
    const std::vector<int32_t> sums = random_integers<int32_t>(n, rng);
    std::vector<float> expected(n), actual(n);
    reference().scale(p, n, sums.data(), expected.data());
    GetParam().run.scale(p, n, sums.data(), actual.data());
    expect_same_bits(actual, expected, n);
    const std::vector<float> whole = random_values<float>(n, -1e6f, 1e6f, rng);
    reference().scale_whole_floats(p, n, whole.data(), expected.data());
    actual = whole;
    GetParam().run.scale_whole_floats(p, n, actual.data(), actual.data());
    expect_same_bits(actual, expected, n);
  }
}

}  // namespace
}  // namespace hone
