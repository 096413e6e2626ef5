#include "hone/tensor/fixed_point.h"

#include <cmath>
#include <limits>

namespace hone {
namespace {

// TFLite's bound: kernels shift 32 bits by no more.
constexpr int kLargestShift = 30;

}  // namespace

FixedPoint fixed_point(double real) {
  if (real == 0.0 || !std::isfinite(real)) return {};
  int exponent = 0;
  const double mantissa = std::frexp(real, &exponent);
  auto fixed = static_cast<int64_t>(std::round(mantissa * 0x1p31));
  if (fixed == int64_t{1} << 31) {
    fixed /= 2;
    ++exponent;
  }
  if (exponent < -31) return {};
  if (exponent > kLargestShift) return {std::numeric_limits<int32_t>::max(), kLargestShift};
  return {static_cast<int32_t>(fixed), exponent};
}

int32_t saturating_rounding_doubling_high_mul(int32_t a, int32_t b) {
  if (a == b && a == std::numeric_limits<int32_t>::min()) {
    return std::numeric_limits<int32_t>::max();
  }
  const int64_t product = int64_t{a} * b;
  const int64_t nudge = product >= 0 ? int64_t{1} << 30 : 1 - (int64_t{1} << 30);
  return static_cast<int32_t>((product + nudge) / (int64_t{1} << 31));
}

int32_t rounding_divide_by_pot(int32_t x, int exponent) {
  if (exponent <= 0) return x;
  if (exponent > 31) return 0;
  const int64_t mask = (int64_t{1} << exponent) - 1;
  const int64_t remainder = x & mask;
  const int64_t threshold = (mask >> 1) + (x < 0 ? 1 : 0);
  return (x >> (exponent == 31 ? 31 : exponent)) + (remainder > threshold ? 1 : 0);
}

namespace {

int32_t scale_single(int32_t x, FixedPoint factor) {
  const int right = 31 - factor.shift;
  if (right > 62) return 0;
  const int64_t product = int64_t{x} * factor.multiplier;
  if (right <= 0) return right < -31 ? 0 : static_cast<int32_t>(product << -right);
  return static_cast<int32_t>((product + (int64_t{1} << (right - 1))) >> right);
}

}  // namespace

int32_t scale_by(int32_t x, FixedPoint factor, Rounding rounding) {
  if (rounding == Rounding::Single) return scale_single(x, factor);
  const int left = factor.shift > 0 ? factor.shift : 0;
  const int right = factor.shift > 0 ? 0 : -factor.shift;
  const auto shifted = static_cast<int32_t>(left > 31 ? 0 : static_cast<uint32_t>(x) << left);
  const int32_t high = saturating_rounding_doubling_high_mul(shifted, factor.multiplier);
  if (rounding == Rounding::Double || right == 0) return rounding_divide_by_pot(high, right);
  return static_cast<int32_t>((int64_t{high} + (int64_t{1} << (right - 1))) >> right);
}

int32_t scale_wide(int64_t x, FixedPoint factor) {
  const int64_t multiplier =
      factor.multiplier < 0x7FFF0000 ? (int64_t{factor.multiplier} + (1 << 15)) >> 16 : 0x7FFF;
  const int right = 15 - factor.shift;
  if (right < 1 || right > 62) return 0;  // Outside the factors that kernels are made for.
  const uint64_t product = static_cast<uint64_t>(x) * static_cast<uint64_t>(multiplier);
  return static_cast<int32_t>(static_cast<int64_t>(product + (uint64_t{1} << (right - 1))) >>
                              right);
}

}  // namespace hone
