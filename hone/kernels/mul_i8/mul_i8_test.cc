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

HONE_VARIANT_TEST(MulI8Test, MulI8<int8_t>, mul_i8_variants);
HONE_VARIANT_TEST(MulU8Test, MulI8<uint8_t>, mul_u8_variants);

TEST_P(MulI8Test, EveryShapeAndBroadcast) {
  check_binary_bytes<Case<int8_t>>(GetParam().run, mul_i8_variants().back().run);
}
TEST_P(MulU8Test, EveryShapeAndBroadcast) {
  check_binary_bytes<Case<uint8_t>>(GetParam().run, mul_u8_variants().back().run);
}
TEST_P(MulI8Test, TiesAndShifts) {
  check_ties(GetParam().run, mul_i8_variants().back().run);
}
TEST_P(MulU8Test, TiesAndShifts) {
  check_ties(GetParam().run, mul_u8_variants().back().run);
}

}  // namespace
}  // namespace hone
