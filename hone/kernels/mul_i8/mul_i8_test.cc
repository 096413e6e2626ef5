#include "hone/kernels/mul_i8/mul_i8.h"

#include <limits>

#include "hone/kernels/binary_bytes_testing.h"

namespace hone {
namespace {

template <class T>
struct Case : BinaryBytesCase<MulI8Args, T> {
  Case(size_t rows, size_t cols, unsigned a_pattern, unsigned b_pattern, std::mt19937& rng)
      : BinaryBytesCase<MulI8Args, T>(rows, cols, a_pattern, b_pattern, rng) {
    std::uniform_real_distribution<double> scale(0.01, 1);
    this->args.factor = fixed_point(scale(rng) / 40);
  }
};

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
        c.check(kernel, reference);
      }
    }
  }
}

// All pairs of bytes by lines, which all scales have but where ties go away from zero.
template <class T>
void check_lines(MulI8<T> kernel, MulI8<T> reference) {
  std::mt19937 rng(3);
  for (int i = 0; i < 30; ++i) {
    Case<T> c(256, 256, 3, 2, rng);
    for (size_t at = 0; at < c.a.size(); ++at) c.a[at] = static_cast<T>(at / 256);
    for (size_t at = 0; at < c.b.size(); ++at) c.b[at] = static_cast<T>(at);
    c.args.lines = mul_i8_lines(c.args);
    EXPECT_TRUE(c.args.lines != nullptr || c.args.rounding == Rounding::Double);
    c.check(kernel, reference);
  }
}

// What the lines say, whichever kernel uses them.
TEST(MulI8Lines, GiveTheBitsOfTheRule) {
  std::mt19937 rng(4);
  for (int i = 0; i < 30; ++i) {
    const Case<int8_t> c(1, 1, 3, 3, rng);
    const auto lines = mul_i8_lines(c.args);
    for (int32_t a = -128; lines != nullptr && a < 128; ++a) {
      for (int32_t b = -128; b < 128; ++b) {
        const int32_t product = (a - c.args.a_zero) * (b - c.args.b_zero);
        const int32_t right = scale_by(product, c.args.factor, c.args.rounding) + c.args.y_zero;
        const auto bits = static_cast<uint8_t>(b);
        const int32_t sum = a * lines->slopes[bits] + lines->offsets[bits];
        const int32_t by_line = (sum >> lines->shift) + c.args.y_zero;
        ASSERT_EQ(std::clamp(by_line, c.args.low, c.args.high),
                  std::clamp(right, c.args.low, c.args.high))
            << a << " * " << b;
      }
    }
  }
}

HONE_VARIANT_TEST(MulI8Test, MulI8<int8_t>, mul_i8_variants);
HONE_VARIANT_TEST(MulU8Test, MulI8<uint8_t>, mul_u8_variants);

TEST_P(MulI8Test, EveryShapeAndBroadcast) {
  check_binary_bytes<Case<int8_t>>(GetParam().run, mul_i8_variants().back().run);
}
TEST_P(MulU8Test, EveryShapeAndBroadcast) {
  check_binary_bytes<Case<uint8_t>>(GetParam().run, mul_u8_variants().back().run);
}
TEST_P(MulI8Test, ByLines) {
  check_lines(GetParam().run, mul_i8_variants().back().run);
}
TEST_P(MulU8Test, ByLines) {
  check_lines(GetParam().run, mul_u8_variants().back().run);
}
TEST_P(MulI8Test, TiesAndShifts) {
  check_ties(GetParam().run, mul_i8_variants().back().run);
}
TEST_P(MulU8Test, TiesAndShifts) {
  check_ties(GetParam().run, mul_u8_variants().back().run);
}

}  // namespace
}  // namespace hone
