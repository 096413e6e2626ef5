// Functions of quantized values, as TFLite computes them on integers.
#pragma once

#include "hone/graph/graph.h"

namespace hone {

// TFLite's integer forms of sigmoid, tanh and softmax give one scale alone. Puts a Q/DQ pair of that
// scale behind those of a dequantized byte, so that their results are integers, too; what is
// quantized otherwise follows. A hard_sigmoid, for which TFLite has no word, becomes a sum and a
// product of constants between such pairs. Says how many.
int bound_functions(Graph& graph);

// Functions between dequantize_linear and quantize_linear of bytes become functions on quantized
// types where TFLite has such a form: sigmoid, tanh and softmax of the scale that it gives, the
// hard_swish, leaky_relu, elu, gelu and exp of any, and relu and relu6 that no product takes.
int fuse_functions(Graph& graph);

}  // namespace hone
