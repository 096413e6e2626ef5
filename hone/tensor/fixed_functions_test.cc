#include "hone/tensor/fixed_functions.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hone {
namespace {

double real(int32_t raw) {
  return raw * 0x1p-31;
}

TEST(FixedFunctions, ExpIsCloseAndOneAtZero) {
  EXPECT_EQ(fixed_exp_of_negative(0, 5), 2147483647);
  for (double x = -30; x < 0; x += 0.37) {
    const auto raw = static_cast<int32_t>(x * 0x1p26);
    EXPECT_NEAR(real(fixed_exp_of_negative(raw, 5)), std::exp(raw * 0x1p-26), 2e-6) << x;
  }
}

TEST(FixedFunctions, SigmoidAndTanhAreCloseAndSymmetric) {
  EXPECT_EQ(fixed_sigmoid(0, 4), 1 << 30);
  EXPECT_EQ(fixed_tanh(0, 4), 0);
  for (double x = -15; x < 15; x += 0.31) {
    const auto raw = static_cast<int32_t>(x * 0x1p27);
    EXPECT_NEAR(real(fixed_sigmoid(raw, 4)), 1 / (1 + std::exp(-raw * 0x1p-27)), 2e-6) << x;
    EXPECT_NEAR(real(fixed_tanh(raw, 4)), std::tanh(raw * 0x1p-27), 4e-6) << x;
    EXPECT_EQ(fixed_tanh(raw, 4), -fixed_tanh(-raw, 4));
  }
}

TEST(FixedFunctions, ReciprocalsAreClose) {
  for (double x = 0; x < 1; x += 0.013) {
    const auto raw = static_cast<int32_t>(x * 0x1p31);
    EXPECT_NEAR(real(fixed_one_over_one_plus(raw)), 1 / (1 + x), 1e-8) << x;
    EXPECT_NEAR(real(fixed_one_minus_over_one_plus(raw)), (1 - x) / (1 + x), 1e-8) << x;
  }
}

}  // namespace
}  // namespace hone
