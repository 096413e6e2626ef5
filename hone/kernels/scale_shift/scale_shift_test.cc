#include "hone/kernels/scale_shift/scale_shift.h"

#include <gtest/gtest.h>

#include "hone/kernels/kernel_testing.h"

namespace hone {
namespace {

template <class T>
struct Case {
  size_t rows, cols;
  bool per_row;
  std::vector<T> x;
  std::vector<float> scale, shift;

  Case(size_t of_rows, size_t of_cols, bool by_row, std::mt19937& rng)
      : rows(of_rows), cols(of_cols), per_row(by_row) {
    x = random_values<T>(rows * cols, -8, 8, rng);
    plant_nans(x, rng);
    scale = random_values<float>(per_row ? rows : cols, -2, 2, rng);
    shift = random_values<float>(per_row ? rows : cols, -2, 2, rng);
  }
  ScaleShiftArgs<T> args(T* y) const {
    return {rows, cols, x.data(), scale.data(), shift.data(), per_row, y};
  }
};

template <class T>
void expect_close(const Case<T>& given, const std::vector<T>& actual,
                  const std::vector<T>& expected) {
  const float relative = sizeof(T) == 2 ? 0x1p-10f : 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    // Of 8 * 2 + 2, the largest that is added up.
    ASSERT_TRUE(close(actual[i], expected[i], relative, 18 * 0x1p-22f))
        << given.rows << "x" << given.cols << (given.per_row ? " by row" : " by column")
        << ", element " << i << ": " << float{actual[i]} << ", expected " << float{expected[i]};
  }
}

template <class T>
void check(ScaleShift<T> kernel, ScaleShift<T> reference) {
  std::mt19937 rng(1);
  const auto run = [&](size_t rows, size_t cols, bool per_row) {
    const Case<T> given(rows, cols, per_row, rng);
    std::vector<T> expected(rows * cols), actual(rows * cols);
    ScaleShiftArgs<T> args = given.args(expected.data());
    if (rng() % 2 == 0) args.low = 0, args.high = 6;
    reference(args);
    args.y = actual.data();
    kernel(args);
    expect_close(given, actual, expected);
    std::vector<T> in_place = given.x;
    args.x = args.y = in_place.data();
    kernel(args);
    expect_close(given, in_place, expected);
  };
  for (const bool per_row : {false, true}) {
    for (size_t cols = 1; cols <= 70; ++cols) run(3, cols, per_row);
    for (int i = 0; i < 30; ++i) run(1 + rng() % 9, 1 + rng() % 300, per_row);
  }
}

HONE_VARIANT_TEST(ScaleShiftF32Test, ScaleShiftF32, scale_shift_f32_variants);
HONE_VARIANT_TEST(ScaleShiftF16Test, ScaleShiftF16, scale_shift_f16_variants);

TEST_P(ScaleShiftF32Test, RowsAndColumns) {
  check(GetParam().run, scale_shift_f32_variants().back().run);
}
TEST_P(ScaleShiftF16Test, RowsAndColumns) {
  check(GetParam().run, scale_shift_f16_variants().back().run);
}

}  // namespace
}  // namespace hone
