#include "hone/ops/quant/fixed_functions16.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace hone {
namespace {

TEST(FixedFunctions16, AreThoseOfTflite) {
  // From the tests of TFLite's own kernels.
  const std::pair<int16_t, int16_t> sigmoids[] = {{-10500, 2339}, {1398, 19152}, {-7668, 4371},
                                                  {-24249, 89},   {-89, 16207},  {32767, 32756},
                                                  {11482, 30898}, {0, 16384}};
  for (const auto& [x, y] : sigmoids) EXPECT_EQ(fixed_sigmoid16(x), y) << x;
  const std::pair<int16_t, int16_t> tanh_of_q3[] = {
      {-145, -1156}, {899, 7076}, {27, 220}, {-1310, -10132}, {-583, -4640}, {1058, 8276}, {0, 0}};
  for (const auto& [x, y] : tanh_of_q3) EXPECT_EQ(fixed_tanh16(x, 3), y) << x;
  const std::pair<int16_t, int16_t> tanh_of_q0[] = {{-145, -136}, {899, 904}, {-1310, -1304}};
  for (const auto& [x, y] : tanh_of_q0) EXPECT_EQ(fixed_tanh16(x, 0), y) << x;
  const std::pair<int16_t, int16_t> tanh_of_q4[] = {{-5, -76}, {163, 2596}, {-92, -1476}};
  for (const auto& [x, y] : tanh_of_q4) EXPECT_EQ(fixed_tanh16(x, 4), y) << x;
}

TEST(FixedFunctions16, AreCloseEverywhere) {
  for (int x = -32768; x < 32768; x += 61) {
    const auto raw = static_cast<int16_t>(x);
    EXPECT_NEAR(fixed_sigmoid16(raw) * 0x1p-15, 1 / (1 + std::exp(-x * 0x1p-12)), 8e-4) << x;
    for (int bits = 0; bits <= 6; ++bits) {
      const double real = std::ldexp(x, bits - 15);
      EXPECT_NEAR(fixed_tanh16(raw, bits) * 0x1p-15, std::tanh(real), 8e-4) << x << " " << bits;
    }
  }
}

}  // namespace
}  // namespace hone
