#include "hone/kernels/softmax/softmax.h"

#include <gtest/gtest.h>

#include "hone/kernels/kernel_testing.h"

namespace hone {
namespace {

template <class T>
void check(Softmax<T> kernel, Softmax<T> reference) {
  std::mt19937 rng(1);
  for (size_t cols = 1; cols <= 100; ++cols) {
    const std::vector<T> x = random_values<T>(3 * cols, -20, 20, rng);
    std::vector<T> expected(x.size()), actual(x.size()), in_place = x;
    reference(3, cols, x.data(), expected.data());
    kernel(3, cols, x.data(), actual.data());
    kernel(3, cols, in_place.data(), in_place.data());
    for (size_t i = 0; i < x.size(); ++i) {
      ASSERT_TRUE(close(actual[i], expected[i], sizeof(T) == 2 ? 0x1p-9f : 2e-6f, 0x1p-23f))
          << "cols " << cols << ", element " << i << ": " << float{actual[i]} << ", expected "
          << float{expected[i]};
      ASSERT_EQ(float{in_place[i]}, float{actual[i]});
    }
  }
}

HONE_VARIANT_TEST(SoftmaxF32Test, SoftmaxF32, softmax_f32_variants);
HONE_VARIANT_TEST(SoftmaxF16Test, SoftmaxF16, softmax_f16_variants);

TEST_P(SoftmaxF32Test, EveryLengthOfRows) {
  check(GetParam().run, softmax_f32_variants().back().run);
}
TEST_P(SoftmaxF16Test, EveryLengthOfRows) {
  check(GetParam().run, softmax_f16_variants().back().run);
}

TEST_P(SoftmaxF32Test, NansFillTheirRow) {
  std::mt19937 rng(2);
  for (size_t cols = 1; cols <= 70; ++cols) {
    std::vector<float> x = random_values<float>(3 * cols, -2, 2, rng), y(x.size());
    x[cols + rng() % cols] = NAN;
    GetParam().run(3, cols, x.data(), y.data());
    for (size_t i = 0; i < y.size(); ++i) EXPECT_EQ(std::isnan(y[i]), i / cols == 1) << cols;
  }
}

TEST_P(SoftmaxF32Test, LargeInputsDoNotOverflow) {
  const std::vector<float> x(16, 1000.0f);
  std::vector<float> y(x.size());
  GetParam().run(1, x.size(), x.data(), y.data());
  for (const float v : y) EXPECT_NEAR(v, 1.0f / 16, 1e-6f);
}

TEST_P(SoftmaxF32Test, MaskedInputsGetNothing) {
  std::vector<float> x(21, -INFINITY), y(x.size());
  x[3] = x[7] = 2;
  GetParam().run(1, x.size(), x.data(), y.data());
  for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(y[i], i == 3 || i == 7 ? 0.5f : 0.0f, 1e-6f);
}

}  // namespace
}  // namespace hone
