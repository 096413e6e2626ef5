// sigmoid and tanh on fixed-point numbers of 16 bits, as gemmlowp defines them: TFLite's integer
// LSTM is made of these. A number with i integer bits stands for raw / 2^(15 - i). The functions of
// fixed_functions.h round otherwise, with 32 bits throughout.
#pragma once

#include <cstdint>

namespace hone {

// With 0 integer bits, for x with 3.
int16_t fixed_sigmoid16(int16_t x);
// With 0 integer bits, for x with `integer_bits` (at most 6).
int16_t fixed_tanh16(int16_t x, int integer_bits);

}  // namespace hone
