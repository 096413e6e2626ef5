#include "hone/kernels/activate/activate.h"

#include <gtest/gtest.h>

#include <limits>

#include "hone/kernels/kernel_testing.h"

namespace hone {
namespace {

using Kind = Activation::Kind;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

const Activation kActivations[] = {
    {},
    {.low = 0},
    {.low = -1, .high = 6},
    {.kind = Kind::LeakyRelu, .alpha = 0.1f},
    {.kind = Kind::LeakyRelu, .alpha = 1.5f},
    {.kind = Kind::Sigmoid},
    {.kind = Kind::Silu},
    {.kind = Kind::HardSigmoid, .alpha = 0.2f, .beta = 0.5f},
    {.kind = Kind::HardSwish},
    {.kind = Kind::Tanh},
    {.kind = Kind::Gelu},
    {.kind = Kind::GeluTanh},
};

// The contract's tolerance.
bool right(const Activation& f, float x, float actual, float expected, float) {
  const float size = std::isfinite(x) ? std::abs(x) : 1;
  if (f.kind == Kind::Clamp) return close(actual, expected, 0, 0);
  if (f.kind == Kind::Gelu) return close(actual, expected, 0, 4e-7f * size);
  if (f.kind == Kind::GeluTanh) return close(actual, expected, 0, 2e-6f * size);
  if (f.kind == Kind::HardSwish || f.kind == Kind::HardSigmoid) {
    return close(actual, expected, 6e-7f, 2e-7f);
  }
  return close(actual, expected, f.kind == Kind::Tanh ? 1e-6f : 6e-7f, 0x1p-120f);
}

bool right(const Activation&, float, float actual, float expected, Half) {
  return close(actual, expected, 0x1p-8f, 0x1p-11f);
}

template <class T>
void expect_right(Activate<T> kernel, Activate<T> reference, const Activation& f,
                  const std::vector<T>& x) {
  std::vector<T> expected(x.size()), actual(x.size());
  reference(f, 1, x.size(), x.data(), x.size(), expected.data(), x.size());
  kernel(f, 1, x.size(), x.data(), x.size(), actual.data(), x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    ASSERT_TRUE(right(f, x[i], actual[i], expected[i], T()))
        << "kind " << static_cast<int>(f.kind) << ", x " << float{x[i]} << ": " << float{actual[i]}
        << ", expected " << float{expected[i]};
  }
}

template <class T>
void check_values(Activate<T> kernel, Activate<T> reference) {
  std::mt19937 rng(1);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const Activation& f : kActivations) {
    std::vector<T> x;
    for (const float v : {0.0f, -0.0f, kInfinity, -kInfinity, nan, 1e-30f, -1e-30f, 1e4f, -1e4f,
                          87.0f, -87.0f, 3.0f, -3.0f, 30000.0f, -30000.0f}) {
      x.push_back(T(v));
    }
    for (const float scale : {1e-3f, 1.0f, 10.0f, 80.0f}) {
      const std::vector<T> more = random_values<T>(5000, -scale, scale, rng);
      x.insert(x.end(), more.begin(), more.end());
    }
    expect_right(kernel, reference, f, x);
  }
}

// Rows of every length, apart from one another and in place; what lies between rows stays.
template <class T>
void check_rows(Activate<T> kernel) {
  std::mt19937 rng(2);
  const Activation silu{.kind = Kind::Silu};
  for (size_t cols = 1; cols <= 70; ++cols) {
    for (const size_t gap : {size_t{0}, size_t{3}}) {
      const size_t stride = cols + gap;
      const std::vector<T> x = random_values<T>(3 * stride, -5, 5, rng);
      std::vector<T> y(x.size(), T(7.0f)), in_place = x;
      kernel(silu, 3, cols, x.data(), stride, y.data(), stride);
      kernel(silu, 3, cols, in_place.data(), stride, in_place.data(), stride);
      for (size_t i = 0; i < x.size(); ++i) {
        const bool inside = i % stride < cols;
        EXPECT_EQ(float{in_place[i]}, inside ? float{y[i]} : float{x[i]});
        if (!inside) {
          EXPECT_EQ(float{y[i]}, 7.0f);
        } else {
          const float expected = x[i] / (1 + std::exp(-x[i]));
          EXPECT_TRUE(close(y[i], expected, sizeof(T) == 2 ? 0x1p-8f : 1e-6f, 0x1p-12f));
        }
      }
    }
  }
}

HONE_VARIANT_TEST(ActivateF32Test, ActivateF32, activate_f32_variants);
HONE_VARIANT_TEST(ActivateF16Test, ActivateF16, activate_f16_variants);

TEST_P(ActivateF32Test, AgreesWithTheReference) {
  check_values(GetParam().run, activate_f32_variants().back().run);
}
TEST_P(ActivateF16Test, AgreesWithTheReference) {
  check_values(GetParam().run, activate_f16_variants().back().run);
}
TEST_P(ActivateF32Test, EveryLengthOfRows) {
  check_rows(GetParam().run);
}
TEST_P(ActivateF16Test, EveryLengthOfRows) {
  check_rows(GetParam().run);
}

}  // namespace
}  // namespace hone
