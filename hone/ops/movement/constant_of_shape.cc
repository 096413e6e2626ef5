// A tensor of the shape given as input, filled with `value`.

#include <algorithm>

#include "hone/ops/movement/movement.h"
#include "hone/ops/movement/movement_tflite.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

Tensor value_of(const NodeContext& in) {
  return in.has_attr("value") ? in.attr<Tensor>("value") : Tensor::scalar(0.0f);
}

Result<std::vector<ValueType>> infer_constant_of_shape(const InferContext& in) {
  const Tensor value = value_of(in);
  if (value.elements() != 1) return bad_input("value is ", value.type(), ", expected one element");
  if (!kAny.contains(value.dtype())) return unsupported("a value of type ", value.dtype());
  HONE_TRY(TensorType type, type_of_rank_in(value.dtype(), in.type(0)));
  if (const auto shape = in.known_ints(0)) {
    for (const int64_t extent : *shape) {
      if (extent < 0) return bad_input("shape [", join(*shape), "] holds ", extent);
    }
    type = {value.dtype(), *shape};
  }
  return std::vector<ValueType>{type};
}

Status eval_constant_of_shape(EvalContext& in) {
  const Tensor value = value_of(in);
  Tensor& y = in.out();
  dispatch_by_size(value.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::fill_n(mutable_raw<T>(y), y.elements(), raw<T>(value)[0]);
  });
  return Done{};
}

}  // namespace

extern const OpDef op_constant_of_shape = {
    .name = "constant_of_shape",
    .summary = "A tensor of a shape, filled with a value.",
    .inputs = {{"shape", DTypeSet{DType::I64}}},
    .attrs = {{"value", Tensor(), kAbsent}},
    .infer = infer_constant_of_shape,
    .eval = eval_constant_of_shape,
    .onnx = {{"ConstantOfShape"}},
    .tflite = {{"ZEROS_LIKE", import_zeros_like}},
    .cases = {"(i64[2]{2 3}) value=f32[1]{0.5}"},
};

}  // namespace hone
