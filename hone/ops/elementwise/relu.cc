// y = max(x, 0).

#include "hone/ops/elementwise/arithmetic.h"
#include "hone/ops/elementwise/broadcast.h"
#include "hone/ops/elementwise/elementwise_tflite.h"

namespace hone {
namespace {

Status eval_relu(EvalContext& in) {
  dispatch_numeric(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto x = in.in(0).data<T>();
    const auto y = in.out().template mutable_data<T>();
    for (size_t i = 0; i < x.size(); ++i) y[i] = maximum(x[i], T{});
  });
  return Done{};
}

}  // namespace

extern const OpDef op_relu = {
    .name = "relu",
    .summary = "max(x, 0).",
    .kind = OpKind::Function,
    .half = true,
    .inputs = {{"x", kNumeric}},
    .infer = infer_same,
    .cost = cost_per_element<1>,
    .eval = eval_relu,
    .onnx = {{"Relu", drop_consumed_inputs}},
    .tflite = {{"RELU", import_relu},
               {"RELU6", import_relu6},
               {"RELU_N1_TO_1", import_relu_n1_to_1}},
    .cases = {"(f32[2,3,5])", "(f32[1,8,4,4])", "(i32[7])", "(f16[3,3])"},
};

}  // namespace hone
