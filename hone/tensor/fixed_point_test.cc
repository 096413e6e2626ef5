#include "hone/tensor/fixed_point.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace hone {
namespace {

TEST(FixedPoint, IsTheNearestMultiplierAndShift) {
  EXPECT_EQ(fixed_point(0.5).multiplier, 1 << 30);
  EXPECT_EQ(fixed_point(0.5).shift, 0);
  EXPECT_EQ(fixed_point(3).multiplier, 3 << 29);
  EXPECT_EQ(fixed_point(3).shift, 2);
  // 1 - 2^-40 rounds up to 1, which is 2^30 * 2^(1 - 31).
  EXPECT_EQ(fixed_point(1 - 0x1p-40).multiplier, 1 << 30);
  EXPECT_EQ(fixed_point(1 - 0x1p-40).shift, 1);
}

TEST(FixedPoint, IsZeroForWhatCannotBeScaledBy) {
  EXPECT_EQ(fixed_point(0).multiplier, 0);
  EXPECT_EQ(fixed_point(0x1p-40).multiplier, 0);
  EXPECT_EQ(fixed_point(std::numeric_limits<double>::infinity()).multiplier, 0);
}

TEST(FixedPoint, StopsWhereThirtyTwoBitsEnd) {
  const FixedPoint largest = fixed_point(0x1p40);
  EXPECT_EQ(largest.multiplier, std::numeric_limits<int32_t>::max());
  EXPECT_EQ(largest.shift, 30);
  EXPECT_EQ(fixed_point(0x1p29).shift, 30);
}

TEST(FixedPoint, RoundsTiesByTheRule) {
  const FixedPoint quarter = fixed_point(0.25);  // 2^30 * 2^(-1 - 31)
  // 2.5 / -2.5: away from zero, upward, upward.
  EXPECT_EQ(scale_by(10, quarter, Rounding::Double), 3);
  EXPECT_EQ(scale_by(-10, quarter, Rounding::Double), -3);
  EXPECT_EQ(scale_by(-10, quarter, Rounding::Single), -2);
  EXPECT_EQ(scale_by(-10, quarter, Rounding::DoubleUpward), -2);
  // 1.25 is rounded twice: the high product of 5 * 0.5 is 3 (ties upward), and 3 / 2 is 2.
  EXPECT_EQ(scale_by(5, quarter, Rounding::Double), 2);
  EXPECT_EQ(scale_by(5, quarter, Rounding::Single), 1);
}

TEST(FixedPoint, ShiftsLeftBeforeItMultiplies) {
  EXPECT_EQ(scale_by(7, fixed_point(6), Rounding::Double), 42);
  EXPECT_EQ(scale_by(7, fixed_point(6), Rounding::Single), 42);
}

TEST(FixedPoint, DoesNotFailForHugeFactors) {
  for (const Rounding rounding : {Rounding::Double, Rounding::Single, Rounding::DoubleUpward}) {
    for (const double real : {1e30, 1e300, 1e-30}) scale_by(12345, fixed_point(real), rounding);
  }
  EXPECT_EQ(scale_wide(1, fixed_point(1e30)), 0);
}

TEST(FixedPoint, ScalesWideSumsWithSixteenBitsOfTheMultiplier) {
  // The multiplier of 1/3 has 16 bits 21845.33 * 2; 2^40 / 3 / 2^20 = 349525.33.
  const FixedPoint factor = fixed_point(0x1p-20 / 3);
  const int64_t reduced = (int64_t{factor.multiplier} + (1 << 15)) >> 16;
  const double expected =
      std::floor(0x1p40 * double(reduced) * std::ldexp(1, factor.shift - 15) + 0.5);
  EXPECT_EQ(scale_wide(int64_t{1} << 40, factor), static_cast<int32_t>(expected));
  EXPECT_EQ(scale_wide(-3, fixed_point(0.5)), -1);  // -1.5, ties upward.
}

}  // namespace
}  // namespace hone
