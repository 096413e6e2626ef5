// A matrix of x's shape with ones along a diagonal, `k` above the main one.

#include "hone/ops/common.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

Result<std::vector<ValueType>> infer_eye_like(const InferContext& in) {
  TensorType type = plain(in.type(0));
  if (const DType dtype = in.attr<DType>("dtype"); dtype != DType::Undefined) type.dtype = dtype;
  if (type.dtype != DType::Undefined && !(kNumeric | kBoolean).contains(type.dtype)) {
    return unsupported("a result of type ", type.dtype);
  }
  if (type.ranked && type.rank() != 2)
    return bad_input("the input is ", type, ", expected a matrix");
  return std::vector<ValueType>{type};
}

Status eval_eye_like(EvalContext& in) {
  Tensor& y = in.out();
  const int64_t k = in.integer("k");
  const int64_t rows = y.shape()[0];
  const int64_t columns = y.shape()[1];
  if (y.elements() == 0 || k <= -rows || k >= columns) return Done{};
  const auto put_ones = [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* to = y.mutable_data<T>().data();
    for (int64_t row = 0; row < rows; ++row) {
      const int64_t column = row + k;
      if (column >= 0 && column < columns) to[row * columns + column] = T(1.0f);
    }
  };
  if (y.dtype() == DType::Bool) {
    put_ones(Tag<bool>{});
  } else {
    dispatch_numeric(y.dtype(), put_ones);
  }
  return Done{};
}

}  // namespace

extern const OpDef op_eye_like = {
    .name = "eye_like",
    .summary = "Ones along a diagonal.",
    .inputs = {{"x", kNumeric | kBoolean}},
    .attrs = {{"dtype", DType::Undefined, kAbsent}, {"k", int64_t{0}}},
    .infer = infer_eye_like,
    .eval = eval_eye_like,
    .onnx = {{"EyeLike"}},
    .cases = {"(f32[3,4]) k=1"},
};

}  // namespace hone
