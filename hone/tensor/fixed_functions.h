// Functions on fixed-point numbers of 32 bits, as gemmlowp defines them: TFLite's integer softmax,
// sigmoid and tanh are made of these. A number with i integer bits stands for raw / 2^(31 - i).
#pragma once

#include <cstdint>

#include "hone/tensor/fixed_point.h"

namespace hone {

// raw * 2^exponent, rounded to nearest with ties away from zero, and cut to 32 bits.
int32_t fixed_times_pot(int32_t raw, int exponent);

// exp(x) with 0 integer bits, for x <= 0 with `integer_bits` of them (at most 5).
int32_t fixed_exp_of_negative(int32_t x, int integer_bits);

// 1 / (1 + x) and (1 - x) / (1 + x) for x in [0, 1], all with 0 integer bits.
int32_t fixed_one_over_one_plus(int32_t x);
int32_t fixed_one_minus_over_one_plus(int32_t x);

// With 0 integer bits, for x with `integer_bits` (at most 4).
int32_t fixed_sigmoid(int32_t x, int integer_bits);
int32_t fixed_tanh(int32_t x, int integer_bits);

// log(x) with 5 integer bits, for x >= 1 with 12 of them.
int32_t fixed_log(int32_t x);

// A factor for scale_by that stands for 1 / sqrt(x). x below 2 counts as 1.
FixedPoint fixed_inverse_sqrt(int32_t x);

}  // namespace hone
