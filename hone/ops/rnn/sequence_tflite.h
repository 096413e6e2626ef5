// What the import rules of recurrent operators share. TFLite has sequences as [batch, steps, n] or
// [steps, batch, n], and results without an axis of directions.
#pragma once

#include "hone/ops/tflite_import.h"

namespace hone {

// BadInput or Unsupported unless `x` is a float sequence.
Status check_float_sequence(const Value* x);

// With steps as the first axis.
Value* steps_first(TfliteImport& in, Value* x, bool time_major);
// The result of one of ONNX's operators, [steps, 1, batch, n], as TFLite has it.
Value* without_directions(TfliteImport& in, Value* y, bool time_major);
// Two results of a bidirectional operator: side by side when merged, else an output each.
void set_both_outputs(TfliteImport& in, Value* forward, Value* backward, bool merge);
// The number of outputs a bidirectional operator must have.
Status check_both_outputs(const TfliteImport& in, bool merge);

bool is_matrix(const Value* value);
bool is_float_constant(const Value* value, const Shape& shape);
bool is_zero_constant(const Value* value);

}  // namespace hone
