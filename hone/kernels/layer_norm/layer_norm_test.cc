#include "hone/kernels/layer_norm/layer_norm.h"

#include <gtest/gtest.h>

#include "hone/kernels/kernel_testing.h"

namespace hone {
namespace {

template <class T>
void check(LayerNorm<T> kernel, LayerNorm<T> reference) {
  std::mt19937 rng(1);
  for (size_t cols = 1; cols <= 100; ++cols) {
    const std::vector<T> x = random_values<T>(3 * cols, -2, 3, rng);
    const std::vector<T> scale = random_values<T>(cols, -2, 2, rng);
    const std::vector<T> bias = random_values<T>(cols, -2, 2, rng);
    std::vector<T> expected(x.size()), actual(x.size()), in_place = x;
    LayerNormArgs<T> args{3,
                          cols,
                          x.data(),
                          cols % 5 == 0 ? nullptr : scale.data(),
                          cols % 3 == 0 ? nullptr : bias.data(),
                          1e-3f,
                          cols % 2 == 0,
                          expected.data()};
    reference(args);
    args.y = actual.data();
    kernel(args);
    args.x = args.y = in_place.data();
    kernel(args);
    for (size_t i = 0; i < x.size(); ++i) {
      ASSERT_TRUE(close(actual[i], expected[i], sizeof(T) == 2 ? 0x1p-10f : 1e-5f, 2e-5f))
          << "cols " << cols << ", element " << i << ": " << float{actual[i]} << ", expected "
          << float{expected[i]};
      ASSERT_EQ(float{in_place[i]}, float{actual[i]});
    }
  }
}

HONE_VARIANT_TEST(LayerNormF32Test, LayerNorm<float>, layer_norm_f32_variants);
HONE_VARIANT_TEST(LayerNormF16Test, LayerNorm<Half>, layer_norm_f16_variants);

TEST_P(LayerNormF32Test, EveryLengthOfRows) {
  check(GetParam().run, layer_norm_f32_variants().back().run);
}
TEST_P(LayerNormF16Test, EveryLengthOfRows) {
  check(GetParam().run, layer_norm_f16_variants().back().run);
}

TEST_P(LayerNormF32Test, NansFillTheirRow) {
  std::mt19937 rng(2);
  for (size_t cols = 1; cols <= 70; ++cols) {
    std::vector<float> x = random_values<float>(3 * cols, -2, 2, rng), y(x.size());
    x[cols + rng() % cols] = NAN;
    GetParam().run({3, cols, x.data(), nullptr, nullptr, 1e-3f, false, y.data()});
    for (size_t i = 0; i < y.size(); ++i) EXPECT_EQ(std::isnan(y[i]), i / cols == 1) << cols;
  }
}

}  // namespace
}  // namespace hone
