// y = a where the condition holds, b elsewhere; all three broadcast.

#include "hone/ops/elementwise/broadcast.h"
#include "hone/ops/elementwise/elementwise_tflite.h"
#include "hone/ops/quant/integer.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

Result<std::vector<ValueType>> infer_where(const InferContext& in) {
  for (const size_t i : {size_t{1}, size_t{2}}) {
    const TensorType& choice = in.type(i);
    const bool any = in.type(1).quantized() || in.type(2).quantized();
    if (any && (!same_quantization(choice, in.declared(0)) || !choice.quant->per_tensor())) {
      return unsupported("values quantized otherwise than the output");
    }
  }
  HONE_TRY(std::vector<ValueType> types, infer_broadcast(in));
  types[0].tensor.dtype = in.dtype(1) == DType::Undefined ? in.dtype(2) : in.dtype(1);
  return types;
}

Status eval_where(EvalContext& in) {
  Tensor& y = in.out();
  const Shape shape = y.shape();
  const bool* condition = in.in(0).data<bool>().data();
  dispatch_by_size(y.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* a = raw<T>(in.in(1));
    const T* b = raw<T>(in.in(2));
    T* to = mutable_raw<T>(y);
    for (RowWalk walk(shape, {broadcast_strides(in.in(0).shape(), shape),
                              broadcast_strides(in.in(1).shape(), shape),
                              broadcast_strides(in.in(2).shape(), shape)});
         !walk.done(); walk.next()) {
      for (int64_t i = 0; i < walk.n(); ++i) {
        *to++ = condition[walk.at(0, i)] ? a[walk.at(1, i)] : b[walk.at(2, i)];
      }
    }
  });
  return Done{};
}

}  // namespace

extern const OpDef op_where = {
    .name = "where",
    .summary = "Chooses from two tensors by a condition.",
    .kind = OpKind::Broadcast,
    .inputs = {{"condition", kBoolean}, {"a", kAny, 'T'}, {"b", kAny, 'T'}},
    .quantized = true,
    .infer = infer_where,
    .cost = cost_broadcast,
    .eval = eval_where,
    .onnx = {{"Where"}},
    .tflite = {{"SELECT", import_select}, {"SELECT_V2", import_as<"where">}},
    .cases = {"(bool[2,3], f32[2,3], f32[3])", "(bool[3,1], i32[2,3,4], i32[])"},
};

}  // namespace hone
