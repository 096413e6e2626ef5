// y = min(max(x, low), high); where low > high, that is high. Either bound may be left out.

#include <limits>

#include "hone/ops/elementwise/arithmetic.h"
#include "hone/ops/elementwise/broadcast.h"
#include "hone/ops/elementwise/elementwise_tflite.h"

namespace hone {
namespace {

Result<std::vector<ValueType>> infer_clip(const InferContext& in) {
  for (const size_t i : {size_t{1}, size_t{2}}) {
    if (in.has(i) && in.type(i).known() && in.type(i).elements() != 1) {
      return bad_input("a bound is ", in.type(i), ", expected a scalar");
    }
  }
  return infer_same(in);
}

Status eval_clip(EvalContext& in) {
  dispatch_numeric(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto x = in.in(0).data<T>();
    const auto y = in.out().template mutable_data<T>();
    for (size_t i = 0; i < x.size(); ++i) y[i] = x[i];
    if (in.has(1)) {
      const T low = in.in(1).data<T>()[0];
      for (T& value : y) value = maximum(value, low);
    }
    if (in.has(2)) {
      const T high = in.in(2).data<T>()[0];
      for (T& value : y) value = minimum(value, high);
    }
  });
  return Done{};
}

// The bounds were attributes before opset 11.
Status upgrade_clip(OnnxImport& in) {
  HONE_RETURN_IF_ERROR(drop_consumed_inputs(in));
  if (in.opset >= 11) return Done{};
  real_to_input(in, "min", 1);
  real_to_input(in, "max", 2);
  return Done{};
}

}  // namespace

extern const OpDef op_clip = {
    .name = "clip",
    .summary = "Limits x to a range.",
    .kind = OpKind::Function,
    .half = true,
    .inputs = {{"x", kNumeric, 'T'},
               {"min", kNumeric, 'T', kOptional},
               {"max", kNumeric, 'T', kOptional}},
    .infer = infer_clip,
    .cost = cost_per_element<2>,
    .eval = eval_clip,
    .onnx = {{"Clip", upgrade_clip}},
    .tflite = {{"RELU_0_TO_1", import_relu_0_to_1}},
    .cases = {"(f32[2,3,5], f32[]{-0.5}, f32[]{0.25})", "(f32[4,4], _, f32[]{0})",
              "(i32[5], i32[]{-3})"},
};

}  // namespace hone
