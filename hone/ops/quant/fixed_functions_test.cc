#include "hone/ops/quant/fixed_functions.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hone/ops/quant/table16.h"

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

// Entries of the table that TFLite and CMSIS-NN publish; those where it differs from a rounded
// sigmoid are the interesting ones.
TEST(Table16, SigmoidIsThePublishedTable) {
  const auto& table = sigmoid_table();
  EXPECT_EQ(table[0], 32768);
  EXPECT_EQ(table[1], 33451);
  EXPECT_EQ(table[4], 35493);
  EXPECT_EQ(table[33], 52311);
  EXPECT_EQ(table[135], 65301);
  EXPECT_EQ(table[254], 65534);
  EXPECT_EQ(table[255], 65535);
}

TEST(Table16, InterpolatesBetweenItsPieces) {
  const Table16 identity =
      make_table16([](float x) { return x; }, {1.0f / 32768, 0}, {1.0f / 32768, 0});
  for (int x = -32768; x < 32768; x += 77) {
    EXPECT_NEAR(lookup16(identity, static_cast<int16_t>(x)), x, 1);
  }
}

}  // namespace
}  // namespace hone
