// TFLite's integer arithmetic: how an int32 accumulator becomes an output of another scale. The
// rules differ by one unit in the last place in a few of a thousand elements, so each has a name.
#pragma once

#include <cstdint>

namespace hone {

enum class Rounding {
  Double,  // TFLite's reference kernels: high product rounded up, then shifted, ties away from 0.
  Single,  // One rounding of the exact product, ties upward: ruy, and TFLM built that way.
  DoubleUpward,  // As Double, the shift's ties upward: TFLite's NEON kernels.
};

// multiplier * 2^(shift - 31), with multiplier in [2^30, 2^31) or 0.
struct FixedPoint {
  int32_t multiplier = 0;
  int shift = 0;
};

// The nearest such number with a shift of at most 30; 0 when `real` is 0 or rounds to nothing.
FixedPoint fixed_point(double real);

// x * factor, rounded by the rule; the 32-bit intermediate wraps and saturates as the kernels'
// does.
int32_t scale_by(int32_t x, FixedPoint factor, Rounding rounding);
// The same of a 64-bit accumulator, where every rule uses 16 bits of the multiplier and rounds
// once, ties upward.
int32_t scale_wide(int64_t x, FixedPoint factor);

// gemmlowp's building blocks, for operators that need them one by one.
int32_t saturating_rounding_doubling_high_mul(int32_t a, int32_t b);
int32_t rounding_divide_by_pot(int32_t x, int exponent);

}  // namespace hone
