#include "hone/kernels/add_i8/add_i8.h"

#include <gtest/gtest.h>

#include <limits>

#include "hone/kernels/kernel_testing.h"

namespace hone {
namespace {

constexpr Rounding kRoundings[] = {Rounding::Double, Rounding::Single, Rounding::DoubleUpward};

template <class T>
struct Case {
  std::vector<T> a, b, y;
  AddI8Args<T> args{};

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
    args.subtract = rng() % 2 == 0;
    args.a_zero = random_integers<T>(1, rng)[0];
    args.b_zero = random_integers<T>(1, rng)[0];
    args.y_zero = random_integers<T>(1, rng)[0];
    std::uniform_real_distribution<double> scale(0.01, 1);
    const double sa = scale(rng), sb = scale(rng), common = 2 * std::max(sa, sb);
    args.a_factor = fixed_point(sa / common);
    args.b_factor = fixed_point(sb / common);
    args.y_factor = fixed_point(common / (scale(rng) * (1 << 20)));
    args.rounding = kRoundings[rng() % 3];
    args.low = std::numeric_limits<T>::min();
    args.high = std::numeric_limits<T>::max();
    if (rng() % 4 == 0) args.low += 50, args.high -= 30;
  }
};

template <class T>
void check(AddI8<T> kernel, AddI8<T> reference, Case<T>& c) {
  std::vector<T> expected(c.y.size());
  AddI8Args<T> args = c.args;
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
void check_shapes(AddI8<T> kernel, AddI8<T> reference) {
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
void check_ties(AddI8<T> kernel, AddI8<T> reference) {
  std::mt19937 rng(2);
  for (const Rounding rounding : kRoundings) {
    for (int shift = 0; shift >= -40; --shift) {
      Case<T> c(1, 256, 3, 3, rng);
      c.args.rounding = rounding;
      c.args.a_factor = {1 << 30, shift};
      c.args.b_factor = {1 << 30, -(static_cast<int>(rng() % 20))};
      c.args.y_factor = {1 << 30, -18};
      check(kernel, reference, c);
    }
    for (int shift = 0; shift >= -40; --shift) {
      Case<T> c(1, 256, 3, 3, rng);
      c.args.rounding = rounding;
      c.args.y_factor = {std::numeric_limits<int32_t>::max(), shift};
      check(kernel, reference, c);
    }
  }
}

HONE_VARIANT_TEST(AddI8Test, AddI8<int8_t>, add_i8_variants);
HONE_VARIANT_TEST(AddU8Test, AddI8<uint8_t>, add_u8_variants);

TEST_P(AddI8Test, EveryShapeAndBroadcast) {
  check_shapes(GetParam().run, add_i8_variants().back().run);
}
TEST_P(AddU8Test, EveryShapeAndBroadcast) {
  check_shapes(GetParam().run, add_u8_variants().back().run);
}
TEST_P(AddI8Test, TiesAndShifts) {
  check_ties(GetParam().run, add_i8_variants().back().run);
}
TEST_P(AddU8Test, TiesAndShifts) {
  check_ties(GetParam().run, add_u8_variants().back().run);
}

}  // namespace
}  // namespace hone
