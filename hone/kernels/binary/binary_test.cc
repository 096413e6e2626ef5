#include "hone/kernels/binary/binary.h"

#include <gtest/gtest.h>

#include "hone/kernels/kernel_testing.h"

namespace hone {
namespace {

constexpr BinaryOp kOps[] = {BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul,
                             BinaryOp::Div, BinaryOp::Max, BinaryOp::Min};

enum class Pattern { Same, PerColumn, PerRow, One };
constexpr Pattern kPatterns[] = {Pattern::Same, Pattern::PerColumn, Pattern::PerRow, Pattern::One};

// An operand of exactly the elements that the pattern reads.
template <class T>
struct Operand {
  std::vector<T> data;
  BinaryOperand<T> view;

  Operand(Pattern pattern, size_t rows, size_t cols, std::mt19937& rng) {
    const bool by_row = pattern == Pattern::Same || pattern == Pattern::PerRow;
    const bool by_col = pattern == Pattern::Same || pattern == Pattern::PerColumn;
    data = random_values<T>((by_row ? rows : 1) * (by_col ? cols : 1), -8, 8, rng);
    if (rng() % 2 == 0) data[rng() % data.size()] = T(NAN);
    view = {data.data(), by_row ? (by_col ? cols : 1) : 0, by_col ? size_t{1} : 0};
  }
};

template <class T>
void expect_equal(const std::vector<T>& actual, const std::vector<T>& expected,
                  const std::string& what) {
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_TRUE(close(actual[i], expected[i], 0, 0))
        << what << ", element " << i << ": " << float{actual[i]} << ", expected "
        << float{expected[i]};
  }
}

template <class T>
void check(Binary<T> kernel, Binary<T> reference) {
  std::mt19937 rng(1);
  const auto run = [&](BinaryOp op, Pattern a_pattern, Pattern b_pattern, size_t rows,
                       size_t cols) {
    const Operand<T> a(a_pattern, rows, cols, rng), b(b_pattern, rows, cols, rng);
    std::vector<T> expected(rows * cols), actual(rows * cols);
    BinaryArgs<T> args{op, rows, cols, a.view, b.view, expected.data()};
    if (rng() % 2 == 0) args.low = 0, args.high = 6;
    reference(args);
    args.y = actual.data();
    kernel(args);
    const std::string what = "op " + std::to_string(static_cast<int>(op)) + ", patterns " +
                             std::to_string(static_cast<int>(a_pattern)) + " " +
                             std::to_string(static_cast<int>(b_pattern)) + ", " +
                             std::to_string(rows) + "x" + std::to_string(cols);
    expect_equal(actual, expected, what);
    std::vector<T> apart(rows * (cols + 3), T(7.0f)), expected_apart = apart;
    for (size_t i = 0; i < rows * cols; ++i) expected_apart[i / cols * 3 + i] = expected[i];
    BinaryArgs<T> args_apart = args;
    args_apart.y = apart.data();
    args_apart.y_stride = cols + 3;
    kernel(args_apart);
    expect_equal(apart, expected_apart, what);
    if (a_pattern == Pattern::Same) {  // In place.
      std::vector<T> in_place = a.data;
      args.a.data = args.y = in_place.data();
      kernel(args);
      expect_equal(in_place, expected, what);
    }
  };
  for (const BinaryOp op : kOps) {
    for (const Pattern a : kPatterns) {
      for (const Pattern b : kPatterns) {
        for (size_t cols = 1; cols <= 35; ++cols) run(op, a, b, 3, cols);
        run(op, a, b, 1 + rng() % 9, 1 + rng() % 200);
      }
    }
  }
}

HONE_VARIANT_TEST(BinaryF32Test, BinaryF32, binary_f32_variants);
HONE_VARIANT_TEST(BinaryF16Test, BinaryF16, binary_f16_variants);

TEST_P(BinaryF32Test, EveryOperationAndBroadcast) {
  check(GetParam().run, binary_f32_variants().back().run);
}
TEST_P(BinaryF16Test, EveryOperationAndBroadcast) {
  check(GetParam().run, binary_f16_variants().back().run);
}

}  // namespace
}  // namespace hone
