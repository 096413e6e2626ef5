// Functions as pieces of straight lines or parabolas in integer arithmetic.
#pragma once

#include "hone/quantize/activation/quantized_function.h"

namespace hone {

// From its first code on: y = (a * d^2 / 2^kSquareBits + b * d + c, rounded) >> shift with
// d = code - first.
struct Piece {
  int32_t first = 0;
  int32_t a = 0;
  int32_t b = 0;
  int32_t c = 0;
};

struct PiecewiseFunction {
  CodeType in = {};
  CodeType out = {};
  int degree = 1;             // 1: straight lines, 2: parabolas.
  int shift = 0;              // Of the coefficients' fixed point.
  int square_bits = 0;        // More of them for the square's.
  std::vector<Piece> pieces;  // By first code.

  // As the emitted code computes it, cut to the codes of the output.
  int32_t operator()(int32_t code) const;
};

// Fewest pieces, each as long as it can be, whose worst error over every input code is at most
// `max_error` units of the last place. BadInput when that is less than the 0.5 that rounding costs.
Result<PiecewiseFunction> make_pieces(const QuantizedFunction& function, int degree,
                                      double max_error);

}  // namespace hone
