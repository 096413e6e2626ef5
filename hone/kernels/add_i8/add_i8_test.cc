#include "hone/kernels/add_i8/add_i8.h"

#include <algorithm>
#include <limits>

#include "hone/kernels/binary_bytes_testing.h"

namespace hone {
namespace {

template <class T>
struct Case : BinaryBytesCase<AddI8Args, T> {
  Case(size_t rows, size_t cols, unsigned a_pattern, unsigned b_pattern, std::mt19937& rng)
      : BinaryBytesCase<AddI8Args, T>(rows, cols, a_pattern, b_pattern, rng) {
    AddI8Args<T>& p = this->args;
    p.subtract = rng() % 2 == 0;
    std::uniform_real_distribution<double> scale(0.01, 1);
    const double sa = scale(rng), sb = scale(rng), common = 2 * std::max(sa, sb);
    p.a_factor = fixed_point(sa / common);
    p.b_factor = fixed_point(sb / common);
    p.y_factor = fixed_point(common / (scale(rng) * (1 << kAddI8Headroom)));
  }
};

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
      c.check(kernel, reference);
    }
    for (int shift = 0; shift >= -40; --shift) {
      Case<T> c(1, 256, 3, 3, rng);
      c.args.rounding = rounding;
      c.args.y_factor = {std::numeric_limits<int32_t>::max(), shift};
      c.check(kernel, reference);
    }
  }
}

// Every pair of bytes, and rows of every kind of tail.
template <class T>
void check_line(AddI8<T> kernel, AddI8<T> reference) {
  std::mt19937 rng(3);
  int lines = 0;
  for (int i = 0; i < 24; ++i) {
    Case<T> all(256, 256, 1, 2, rng);
    all.args.subtract = i % 4 == 3;
    if (i % 4 == 2) all.args.b_factor = all.args.a_factor = fixed_point(0.5);
    for (size_t x = 0; x < 256; ++x) all.a[x] = all.b[x] = static_cast<T>(x);
    all.args.line = add_i8_line(all.args);
    lines += all.args.line ? 1 : 0;
    all.check(kernel, reference);
    for (const size_t cols : {1, 15, 17, 63, 64, 65, 130}) {
      Case<T> some(3, cols, 3, 3, rng);
      const auto a = some.args.a, b = some.args.b;
      some.args = all.args;
      some.args.rows = 3;
      some.args.cols = some.args.y_stride = cols;
      some.args.a = a;
      some.args.b = b;
      some.check(kernel, reference);
    }
  }
  EXPECT_GE(lines, 22);
}

HONE_VARIANT_TEST(AddI8Test, AddI8<int8_t>, add_i8_variants);
HONE_VARIANT_TEST(AddU8Test, AddI8<uint8_t>, add_u8_variants);

TEST_P(AddI8Test, EveryShapeAndBroadcast) {
  check_binary_bytes<Case<int8_t>>(GetParam().run, add_i8_variants().back().run);
}
TEST_P(AddU8Test, EveryShapeAndBroadcast) {
  check_binary_bytes<Case<uint8_t>>(GetParam().run, add_u8_variants().back().run);
}
TEST_P(AddI8Test, Lines) {
  check_line(GetParam().run, add_i8_variants().back().run);
}
TEST_P(AddU8Test, Lines) {
  check_line(GetParam().run, add_u8_variants().back().run);
}
TEST_P(AddI8Test, TiesAndShifts) {
  check_ties(GetParam().run, add_i8_variants().back().run);
}
TEST_P(AddU8Test, TiesAndShifts) {
  check_ties(GetParam().run, add_u8_variants().back().run);
}

}  // namespace
}  // namespace hone
