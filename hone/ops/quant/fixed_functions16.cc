#include "hone/ops/quant/fixed_functions16.h"

#include <algorithm>
#include <limits>

#include "hone/tensor/fixed_point.h"

namespace hone {
namespace {

constexpr int16_t kMin = std::numeric_limits<int16_t>::min();
constexpr int16_t kMax = std::numeric_limits<int16_t>::max();  // One, with 0 integer bits.

int16_t saturated(int32_t x) {
  return static_cast<int16_t>(std::clamp(x, int32_t{kMin}, int32_t{kMax}));
}

// Sums that never leave 16 bits for arguments in range; others wrap.
int16_t plus(int a, int b) {
  return static_cast<int16_t>(a + b);
}

// The high half of the doubled product, rounded to nearest.
int16_t times(int16_t a, int16_t b) {
  const int32_t product = int32_t{a} * b;
  const int32_t nudge = product >= 0 ? 1 << 14 : 1 - (1 << 14);
  return saturated((product + nudge) / (1 << 15));
}

int16_t times_pot(int16_t x, int exponent) {
  if (exponent <= 0) return static_cast<int16_t>(rounding_divide_by_pot(x, -exponent));
  return saturated(int32_t{x} * (1 << exponent));
}

// Constants are written with 32 bits, and rounded to 16.
int16_t constant(int32_t raw) {
  return static_cast<int16_t>(rounding_divide_by_pot(raw, 16));
}

// exp on [-1/4, 0): the Taylor series around -1/8 up to the fourth power.
int16_t exp_near_zero(int16_t a) {
  const int16_t center = constant(1895147668);  // exp(-1/8)
  const int16_t x = plus(a, 1 << 12);
  const int16_t x2 = times(x, x);
  const int16_t x3 = times(x2, x);
  const int16_t x4 = times(x2, x2);
  const int16_t third = constant(715827883);
  const int16_t higher = plus(times(plus(times_pot(x4, -2), x3), third), x2);
  return saturated(int32_t{center} + times(center, plus(x, times_pot(higher, -1))));
}

// exp(-2^k) for k = -2 .. 4.
constexpr int32_t kExpOfPowers[] = {1672461947, 1302514674, 790015084, 290630308,
                                    39332535,   720401,     242};

// exp(x) with 0 integer bits, for x <= 0 with 1 to 7.
int16_t exp_of_negative(int16_t x, int integer_bits) {
  if (x == 0) return kMax;
  const int fraction_bits = 15 - integer_bits;
  // Beyond -32 nothing is left.
  if (integer_bits > 5 && x < -(1 << (fraction_bits + 5))) return 0;
  const int quarter = 1 << (fraction_bits - 2);
  // x = rest - multiple of a quarter, with rest in [-1/4, 0).
  const int16_t rest = plus(x & (quarter - 1), -quarter);
  const int multiple = rest - x;
  int16_t result = exp_near_zero(times_pot(rest, integer_bits));
  for (int k = -2; k < std::min(integer_bits, 5); ++k) {
    if ((multiple & (1 << (fraction_bits + k))) == 0) continue;
    result = times(result, constant(kExpOfPowers[k + 2]));
  }
  return result;
}

// 2 / (1 + x), with 2 integer bits: three steps of Newton's method from 48/17 - 32/17 * d.
int16_t reciprocal_of_half(int16_t x) {
  constexpr int kOne = 1 << 13;
  const auto half = static_cast<int16_t>((int32_t{x} + kMax + 1) / 2);
  int16_t y = plus(constant(1515870810), times(half, constant(-1010580540)));
  for (int i = 0; i < 3; ++i) {
    const int16_t error = plus(kOne, -times(half, y));
    y = plus(y, times_pot(times(y, error), 2));
  }
  return y;
}

}  // namespace

int16_t fixed_sigmoid16(int16_t x) {
  if (x == 0) return 1 << 14;
  const auto negative = static_cast<int16_t>(x > 0 ? -x : x);
  const int16_t result = times_pot(reciprocal_of_half(exp_of_negative(negative, 3)), 1);
  return x > 0 ? result : static_cast<int16_t>(kMax - result);
}

int16_t fixed_tanh16(int16_t x, int integer_bits) {
  if (x == 0) return 0;
  const auto negative = static_cast<int16_t>(x > 0 ? -x : x);
  const int16_t e = exp_of_negative(negative, integer_bits + 1);
  const int16_t result = times_pot(plus(reciprocal_of_half(e), -(1 << 13)), 2);
  return x > 0 ? result : static_cast<int16_t>(-result);
}

}  // namespace hone
