#include "hone/tensor/fixed_functions.h"

#include <algorithm>
#include <bit>
#include <limits>

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

// (a + b) / 2, ties away from zero.
int32_t half_of_sum(int32_t a, int32_t b) {
  const int64_t sum = int64_t{a} + b;
  return static_cast<int32_t>((sum + (sum >= 0 ? 1 : -1)) / 2);
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
  const int32_t half = half_of_sum(x, kMax);
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

// With x = r * 2^k, and k a multiple of 1/2 so that r lies around 1/sqrt(sqrt(2)): k * log(2), and
// log(r) as a quotient of polynomials in q = 2 * (r - sqrt(sqrt(1/2))).
int32_t fixed_log(int32_t x) {
  constexpr int kInputBits = 12;
  constexpr int kSumBits = 6;  // One more than the result has, where sums may saturate.
  constexpr int32_t kLogOf2 = 1488522236;
  constexpr int32_t kRootOfHalf = 1518500250;
  constexpr int32_t kFourthRootOfHalf = 1805811301;
  constexpr int32_t kQuarter = 1 << (31 - kSumBits - 2);
  // 11/240 * s, s/20, 2/s - s and s/4 with s the fourth root of 2.
  constexpr int32_t kAlphaN = 117049297, kAlphaD = 127690142;
  constexpr int32_t kAlphaI = 1057819769, kAlphaF = 638450708;
  const auto exponent = [](int bits) { return fixed_times_pot(bits, 31 - kSumBits); };

  const int above_a = std::countl_zero(static_cast<uint32_t>(x));
  const int32_t r_a = fixed_times_pot(times(fixed_times_pot(x, above_a - 1), kRootOfHalf), 1);
  const int32_t k_a = plus(exponent(kInputBits - above_a), kQuarter);
  const int above_b = std::countl_zero(static_cast<uint32_t>(times(x, kRootOfHalf))) - 1;
  const int32_t r_b = fixed_times_pot(x, above_b);
  const int32_t k_b = minus(exponent(kInputBits - above_b), kQuarter);

  const int32_t r = std::min(r_a, r_b);
  const int32_t half_sum = half_of_sum(r, kFourthRootOfHalf);
  const int32_t difference = minus(r, kFourthRootOfHalf);
  const int32_t q = plus(difference, difference);
  const int32_t q2 = times(q, q);
  const int32_t numerator = plus(times(q, r), times(times(q, q2), kAlphaN));
  const int32_t denominator =
      plus(times(half_sum, plus(plus(kAlphaI, q), times(kAlphaD, q2))), times(kAlphaF, q));
  const int32_t quotient =
      times(fixed_times_pot(numerator, -kSumBits), fixed_one_over_one_plus(denominator));
  return fixed_times_pot(plus(times(std::max(k_a, k_b), kLogOf2), quotient), 1);
}

// Five steps of Newton's method from 1, with 3 integer bits, on x shifted by pairs of bits into
// [2^27, 2^29).
FixedPoint fixed_inverse_sqrt(int32_t x) {
  if (x <= 1) return {kMax, 0};
  int shift = 11;
  for (; x >= 1 << 29; ++shift) x /= 4;
  for (; x < 1 << 27; --shift) x *= 4;
  const int32_t half = rounding_divide_by_pot(x / 2, 1);
  constexpr int32_t kHalfThree = (1 << 28) + (1 << 27);
  int32_t y = 1 << 28;
  for (int i = 0; i < 5; ++i) {
    const int32_t cube = fixed_times_pot(times(times(y, y), y), 6);
    y = fixed_times_pot(minus(times(kHalfThree, y), times(half, cube)), 3);
  }
  constexpr int32_t kHalfRootOfTwo = 1518500250;
  y = times(y, kHalfRootOfTwo);
  if (shift < 0) return {fixed_times_pot(y, -shift), 0};
  return {y, -shift};
}

}  // namespace hone
