#pragma once

#include "hone/graph/graph.h"

namespace hone {

// Functions of one quantized byte become tables of all 256 answers:
//
//   %f = dequantize_linear(%x, sx, zx)
//   %s = sigmoid(%f)
//   %m = mul(%f, %s)                        =>   %y = lookup(%x, i8[256]{...})
//   %y = quantize_linear(%m, sy, zy)
//
// whatever the function is made of (elementwise_region.h), and bit for bit what the floats give:
// the references fill the table. Says how many.
int tabulate_functions(Graph& graph);

}  // namespace hone
