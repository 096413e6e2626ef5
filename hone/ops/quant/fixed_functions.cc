#include "hone/ops/quant/fixed_functions.h"

#include <algorithm>
#include <limits>

#include "hone/tensor/fixed_point.h"

namespace hone {
namespace {

constexpr int32_t kMax = std::numeric_limits<int32_t>::max();  // One, with 0 integer bits.

int32_t times(int32_t a, int32_t b) {
  return saturating_rounding_doubling_high_mul(a, b);
}

// Sums here never leave 32 bits for arguments in range; others must not be undefined.
int32_t plus(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
}
int32_t minus(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) - static_cast<uint32_t>(b));
}

// exp on [-1/4, 0): the Taylor series around -1/8 up to the fourth power.
int32_t exp_near_zero(int32_t a) {
  constexpr int32_t kExpOfMinusEighth = 1895147668;
  constexpr int32_t kThird = 715827883;
  const int32_t x = plus(a, 1 << 28);
  const int32_t x2 = times(x, x);
  const int32_t x3 = times(x2, x);
  const int32_t x4 = times(x2, x2);
  const int32_t higher = plus(times(plus(fixed_times_pot(x4, -2), x3), kThird), x2);
  const int32_t series = plus(x, fixed_times_pot(higher, -1));
  return plus(kExpOfMinusEighth, times(kExpOfMinusEighth, series));
}

// exp(-2^k) for k = -2 .. 4.
constexpr int32_t kExpOfPowers[] = {1672461947, 1302514674, 790015084, 290630308,
                                    39332535,   720401,     242};

// 2 / (1 + x), with 2 integer bits: three steps of Newton's method from 48/17 - 32/17 * d.
int32_t reciprocal_of_half(int32_t x) {
  constexpr int32_t k48Over17 = 1515870810;
  constexpr int32_t kMinus32Over17 = -1010580540;
  constexpr int32_t kOne = 1 << 29;
  const auto half = static_cast<int32_t>((int64_t{x} + kMax + 1) / 2);
  int32_t y = plus(k48Over17, times(half, kMinus32Over17));
  for (int i = 0; i < 3; ++i) {
    const int32_t error = minus(kOne, times(half, y));
    y = plus(y, fixed_times_pot(times(y, error), 2));
  }
  return y;
}

}  // namespace

int32_t fixed_times_pot(int32_t raw, int exponent) {
  if (exponent <= 0) return rounding_divide_by_pot(raw, -exponent);
  const int64_t shifted = int64_t{raw} * (int64_t{1} << exponent);
  return static_cast<int32_t>(
      std::clamp(shifted, int64_t{std::numeric_limits<int32_t>::min()}, int64_t{kMax}));
}

int32_t fixed_exp_of_negative(int32_t x, int integer_bits) {
  if (x == 0) return kMax;
  const int fraction_bits = 31 - integer_bits;
  const int32_t quarter = 1 << (fraction_bits - 2);
  // x = rest - multiple of a quarter, with rest in [-1/4, 0).
  const int32_t rest = minus(x & (quarter - 1), quarter);
  const int32_t multiple = minus(rest, x);
  int32_t result = exp_near_zero(fixed_times_pot(rest, integer_bits));
  for (int k = -2; k < integer_bits; ++k) {
    if ((multiple & (1 << (fraction_bits + k))) != 0) result = times(result, kExpOfPowers[k + 2]);
  }
  return result;
}

int32_t fixed_one_over_one_plus(int32_t x) {
  return fixed_times_pot(reciprocal_of_half(x), 1);
}

int32_t fixed_one_minus_over_one_plus(int32_t x) {
  return fixed_times_pot(minus(reciprocal_of_half(x), 1 << 29), 2);
}

int32_t fixed_sigmoid(int32_t x, int integer_bits) {
  if (x == 0) return 1 << 30;
  const int32_t negative = x > 0 ? minus(0, x) : x;
  const int32_t result = fixed_one_over_one_plus(fixed_exp_of_negative(negative, integer_bits));
  return x > 0 ? result : minus(kMax, result);
}

int32_t fixed_tanh(int32_t x, int integer_bits) {
  if (x == 0) return 0;
  const int32_t negative = x > 0 ? minus(0, x) : x;
  const int32_t result =
      fixed_one_minus_over_one_plus(fixed_exp_of_negative(negative, integer_bits + 1));
  return x > 0 ? result : minus(0, result);
}

}  // namespace hone
