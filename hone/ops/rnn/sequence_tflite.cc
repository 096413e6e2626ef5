#include "hone/ops/rnn/sequence_tflite.h"

#include <algorithm>

#include "hone/ops/movement/transpose_tflite.h"

namespace hone {

Status check_float_sequence(const Value* x) {
  const TensorType& type = x->type.tensor;
  if (type.dtype != DType::F32 || type.quantized()) {
    return unsupported("a sequence of ", type.dtype, ", expected f32");
  }
  if (!type.ranked) return unsupported("a sequence of unknown rank");
  if (type.rank() != 3) return bad_input("the sequence is ", type, ", expected 3 axes");
  return Done{};
}

Value* steps_first(TfliteImport& in, Value* x, bool time_major) {
  return time_major ? x : add_transposed(in, x, {1, 0, 2});
}

Value* without_directions(TfliteImport& in, Value* y, bool time_major) {
  TensorType type = y->type.tensor;
  type.shape.erase(type.shape.begin() + 1);
  Value* axis = in.add_constant(Tensor::of_ints({1}));
  y = in.add("squeeze", {y, axis}, std::move(type));
  return time_major ? y : add_transposed(in, y, {1, 0, 2});
}

void set_both_outputs(TfliteImport& in, Value* forward, Value* backward, bool merge) {
  if (merge) {
    in.finish("concat", {forward, backward}, {{"axis", int64_t{2}}});
    return;
  }
  in.set_output(0, forward);
  in.set_output(1, backward);
}

Status check_both_outputs(const TfliteImport& in, bool merge) {
  const size_t expected = merge ? 1 : 2;
  if (in.outputs() == expected) return Done{};
  return bad_input("has ", in.outputs(), " outputs, expected ", expected);
}

bool is_matrix(const Value* value) {
  return value != nullptr && value->type.tensor.known() && value->type.tensor.rank() == 2;
}

bool is_float_constant(const Value* value, const Shape& shape) {
  return value != nullptr && value->constant && value->constant->dtype() == DType::F32 &&
         value->constant->shape() == shape;
}

bool is_zero_constant(const Value* value) {
  if (!value->constant || value->constant->dtype() != DType::F32) return false;
  return std::ranges::all_of(value->constant->data<float>(), [](float x) { return x == 0; });
}

}  // namespace hone
