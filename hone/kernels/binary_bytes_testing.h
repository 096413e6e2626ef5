// What the tests of add_i8 and mul_i8 share: operands of every broadcast, and the comparison with
// the reference.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "hone/kernels/binary/binary.h"
#include "hone/kernels/kernel_testing.h"
#include "hone/tensor/fixed_point.h"

namespace hone {

inline constexpr Rounding kRoundings[] = {Rounding::Double, Rounding::Single,
                                          Rounding::DoubleUpward};

// Arguments with random operands, zero points, rounding and range. The factors are left to the
// test.
template <template <class> class Args, class T>
struct BinaryBytesCase {
  std::vector<T> a, b, y;
  Args<T> args{};

  // Patterns: bit 0: varies by row, bit 1: varies by column.
  BinaryBytesCase(size_t rows, size_t cols, unsigned a_pattern, unsigned b_pattern,
                  std::mt19937& rng) {
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
    args.y_stride = cols;
    args.a_zero = random_integers<T>(1, rng)[0];
    args.b_zero = random_integers<T>(1, rng)[0];
    args.y_zero = random_integers<T>(1, rng)[0];
    args.rounding = kRoundings[rng() % 3];
    args.low = std::numeric_limits<T>::min();
    args.high = std::numeric_limits<T>::max();
    if (rng() % 4 == 0) args.low += 50, args.high -= 30;
    if (rng() % 4 == 0) args.low = std::min(args.y_zero, args.high);  // As by a ReLU.
  }

  using Kernel = void (*)(const Args<T>& args);

  // Also in place, where an operand has the shape of the output.
  void check(Kernel kernel, Kernel reference) {
    std::vector<T> expected(y.size());
    Args<T> p = args;
    p.y = expected.data();
    reference(p);
    p.y = y.data();
    kernel(p);
    ASSERT_EQ(y, expected) << "rounding " << static_cast<int>(p.rounding) << ", cols " << p.cols;
    if (a.size() == y.size() && p.a.col_stride == 1) {
      std::vector<T> in_place = a;
      p.a.data = p.y = in_place.data();
      kernel(p);
      ASSERT_EQ(in_place, expected);
    }
    check_wide_rows(kernel, expected);
  }

 private:
  // Outputs among columns of others, over the second operand where that has their shape.
  void check_wide_rows(Kernel kernel, const std::vector<T>& expected) {
    const size_t pitch = args.cols + 7;
    std::vector<T> wide(args.rows * pitch, T{77});
    std::vector<T> wide_expected = wide;
    Args<T> p = args;
    p.y = wide.data();
    p.y_stride = pitch;
    const bool over_b = b.size() == y.size() && p.b.col_stride == 1;
    if (over_b) p.b = {wide.data(), pitch, 1};
    for (size_t r = 0; r < p.rows; ++r) {
      if (over_b) std::copy_n(&b[r * p.cols], p.cols, &wide[r * pitch]);
      std::copy_n(&expected[r * p.cols], p.cols, &wide_expected[r * pitch]);
    }
    kernel(p);
    ASSERT_EQ(wide, wide_expected);
  }
};

// Every broadcast with rows of every length up to 40 and around blocks of 64, then larger ones. Case is made like a
// BinaryBytesCase.
template <class Case>
void check_binary_bytes(typename Case::Kernel kernel, typename Case::Kernel reference) {
  std::mt19937 rng(1);
  for (unsigned a = 0; a < 4; ++a) {
    for (unsigned b = 0; b < 4; ++b) {
      for (size_t cols = 1; cols <= 40; ++cols) Case(3, cols, a, b, rng).check(kernel, reference);
      for (size_t cols = 62; cols <= 66; ++cols) Case(3, cols, a, b, rng).check(kernel, reference);
      Case(3, 200, a, b, rng).check(kernel, reference);
    }
  }
  for (int i = 0; i < 50; ++i) {
    const size_t rows = 1 + rng() % 20, cols = 1 + rng() % 100;
    Case(rows, cols, 3, 3, rng).check(kernel, reference);
  }
}

}  // namespace hone
