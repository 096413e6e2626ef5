// is_nan and is_inf.

#include <cmath>

#include "hone/ops/common.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

Result<std::vector<ValueType>> infer_is_nan(const InferContext& in) {
  TensorType type = plain(in.type(0));
  type.dtype = DType::Bool;
  return std::vector<ValueType>{type};
}

// y[i] = fn(x[i]) with every float widened, which keeps NaN and infinity.
template <class Fn>
void test_elements(EvalContext& in, Fn fn) {
  const std::vector<double> x = to_doubles(in.in(0));
  const auto y = in.out().mutable_data<bool>();
  for (size_t i = 0; i < x.size(); ++i) y[i] = fn(x[i]);
}

Status eval_nan(EvalContext& in) {
  test_elements(in, [](double x) { return std::isnan(x); });
  return Done{};
}

Status eval_inf(EvalContext& in) {
  const bool negative = in.integer("detect_negative") != 0;
  const bool positive = in.integer("detect_positive") != 0;
  test_elements(in, [&](double x) { return std::isinf(x) && (x < 0 ? negative : positive); });
  return Done{};
}

}  // namespace

extern const OpDef op_is_nan = {
    .name = "is_nan",
    .summary = "True where x is not a number.",
    .kind = OpKind::Function,
    .inputs = {{"x", kFloat | kFloat8}},
    .infer = infer_is_nan,
    .cost = cost_per_element<1>,
    .eval = eval_nan,
    .onnx = {{"IsNaN"}},
    .cases = {"(f32[2,3,5])"},
};

extern const OpDef op_is_inf = {
    .name = "is_inf",
    .summary = "True where x is infinite, of the signs asked for.",
    .kind = OpKind::Function,
    .inputs = {{"x", kFloat | kFloat8}},
    .attrs = {{"detect_negative", int64_t{1}}, {"detect_positive", int64_t{1}}},
    .infer = infer_is_nan,
    .cost = cost_per_element<1>,
    .eval = eval_inf,
    .onnx = {{"IsInf"}},
    .cases = {"(f32[2,3,5])"},
};

}  // namespace hone
