#include "hone/kernels/mul_i8/mul_i8.h"

#include <gtest/gtest.h>

#include <limits>

#include "hone/kernels/kernel_testing.h"

namespace hone {
namespace {

constexpr Rounding kRoundings[] = {Rounding::Double, Rounding::Single, Rounding::DoubleUpward};

template <class T>
struct Case {
  std::vector<T> a, b, y;
  MulI8Args<T> args{};

  // Patterns: bit 0: varies by row, bit 1: varies by column.
  Case(size_t rows, size_t cols, unsigned a_pattern, unsigned b_pattern, std::mt19937& rng) {
    const auto operand = [&](std::vector<T>& data, unsigned pattern) {
      data = random_integers<T>(((pattern & 1) != 0 ? rows : 1) * ((pattern & 2) != 0 ? cols : 1),
                                rng);
      return BinaryOperand<T>{data.data(), (pattern & 1) != 0 ? data.size() / rows : 0,
                              (pattern & 2) != 0 ? size_t{1} : 0};
    };
    args.rows = rows;
    args.cols = cols;
    args.a = operand(a, a_pattern);
    args.b = operand(b, b_pattern);
    y.resize(rows * cols);
    args.a_zero = random_integers<T>(1, rng)[0];
    args.b_zero = random_integers<T>(1, rng)[0];
    args.y_zero = random_integers<T>(1, rng)[0];
    std::uniform_real_distribution<double> scale(0.01, 1);
    args.factor = fixed_point(scale(rng) / 40);
    args.rounding = kRoundings[rng() % 3];
    args.low = std::numeric_limits<T>::min();
    args.high = std::numeric_limits<T>::max();
    if (rng() % 4 == 0) args.low += 50, args.high -= 30;
  }
};

template <class T>
void check(MulI8<T> kernel, MulI8<T> reference, Case<T>& c) {
  std::vector<T> expected(c.y.size());
  MulI8Args<T> args = c.args;
  args.y = expected.data();
  reference(args);
  args.y = c.y.data();
  kernel(args);
  ASSERT_EQ(c.y, expected) << "rounding " << static_cast<int>(args.rounding) << ", cols "
                           << args.cols;
  if (c.a.size() == c.y.size() && args.a.col_stride == 1) {  // In place.
    std::vector<T> in_place = c.a;
    args.a.data = args.y = in_place.data();
    kernel(args);
    ASSERT_EQ(in_place, expected);
  }
}

template <class T>
void check_shapes(MulI8<T> kernel, MulI8<T> reference) {
  std::mt19937 rng(1);
  for (unsigned a = 0; a < 4; ++a) {
    for (unsigned b = 0; b < 4; ++b) {
      for (size_t cols = 1; cols <= 40; ++cols) {
        Case<T> c(3, cols, a, b, rng);
        check(kernel, reference, c);
      }
    }
  }
  for (int i = 0; i < 50; ++i) {
    Case<T> c(1 + rng() % 20, 1 + rng() % 100, 3, 3, rng);
    check(kernel, reference, c);
  }
}

// Multipliers of a power of two meet ties of both signs all the time.
template <class T>
void check_ties(MulI8<T> kernel, MulI8<T> reference) {
  std::mt19937 rng(2);
  for (const Rounding rounding : kRoundings) {
    for (int shift = 12; shift >= -40; --shift) {
      for (const int32_t multiplier : {1 << 30, std::numeric_limits<int32_t>::max(), 0}) {
        Case<T> c(1, 256, 3, 3, rng);
        c.args.rounding = rounding;
        c.args.factor = {multiplier, shift};
        check(kernel, reference, c);
      }
    }
  }
}

HONE_VARIANT_TEST(MulI8Test, MulI8<int8_t>, mul_i8_variants);
HONE_VARIANT_TEST(MulU8Test, MulI8<uint8_t>, mul_u8_variants);

TEST_P(MulI8Test, EveryShapeAndBroadcast) {
  check_shapes(GetParam().run, mul_i8_variants().back().run);
}
TEST_P(MulU8Test, EveryShapeAndBroadcast) {
  check_shapes(GetParam().run, mul_u8_variants().back().run);
}
TEST_P(MulI8Test, TiesAndShifts) {
  check_ties(GetParam().run, mul_i8_variants().back().run);
}
TEST_P(MulU8Test, TiesAndShifts) {
  check_ties(GetParam().run, mul_u8_variants().back().run);
}

}  // namespace
}  // namespace hone
