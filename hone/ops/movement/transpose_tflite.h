#pragma once

#include "hone/graph/attr.h"
#include "hone/ops/tflite_import.h"

namespace hone {

// The type with its axes, the quantized one too, in another order.
TensorType permuted(const TensorType& type, const Ints& perm);
Tensor transposed(const Tensor& x, const Ints& perm);
// A value with its axes in another order: a constant is turned at once, else a transpose is added.
// Requires perm to be an order of the value's axes.
Value* add_transposed(TfliteImport& in, Value* value, const Ints& perm);

Status import_transpose(TfliteImport& in);

}  // namespace hone
