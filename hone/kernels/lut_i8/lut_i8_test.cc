#include "hone/kernels/lut_i8/lut_i8.h"

#include <gtest/gtest.h>

#include "hone/kernels/kernel_testing.h"

namespace hone {
namespace {

HONE_VARIANT_TEST(LutI8Test, LutI8, lut_i8_variants);

TEST_P(LutI8Test, EveryLengthAndInPlace) {
  std::mt19937 rng(1);
  for (size_t n = 0; n <= 200; ++n) {
    const std::vector<uint8_t> table = random_integers<uint8_t>(256, rng);
    const std::vector<uint8_t> x = random_integers<uint8_t>(n, rng);
    std::vector<uint8_t> expected, y(n), in_place = x;
    for (const uint8_t v : x) expected.push_back(table[v]);
    GetParam().run(n, table.data(), x.data(), y.data());
    EXPECT_EQ(y, expected);
    GetParam().run(n, table.data(), in_place.data(), in_place.data());
    EXPECT_EQ(in_place, expected);
  }
}

TEST_P(LutI8Test, EveryByte) {
  std::mt19937 rng(2);
  const std::vector<uint8_t> table = random_integers<uint8_t>(256, rng);
  std::vector<uint8_t> x(256), y(256);
  for (size_t i = 0; i < 256; ++i) x[i] = static_cast<uint8_t>(i);
  GetParam().run(256, table.data(), x.data(), y.data());
  EXPECT_EQ(y, table);
}

TEST(RequantizeI8Table, SignedToUnsigned) {
  uint8_t table[256];
  requantize_i8_table({.x_signed = true,
                       .x_zero = -3,
                       .factor = fixed_point(0.5),
                       .rounding = Rounding::Single,
                       .y_zero = 128,
                       .low = 0,
                       .high = 255},
                      table);
  EXPECT_EQ(table[0], 130);    // 3 / 2, the tie upward.
  EXPECT_EQ(table[0x80], 66);  // (-128 + 3) / 2 = -62.5
  EXPECT_EQ(table[127], 128 + 65);
}

}  // namespace
}  // namespace hone
