// y = x + bias below -lambd, x - bias above lambd, otherwise 0, of NaN too.

#include "hone/ops/common.h"
#include "hone/ops/elementwise/arithmetic.h"

namespace hone {
namespace {

Status eval_shrink(EvalContext& in) {
  const double lambd = in.real("lambd");
  const double bias = in.real("bias");
  dispatch_numeric(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto x = in.in(0).data<T>();
    const auto y = in.out().template mutable_data<T>();
    for (size_t i = 0; i < x.size(); ++i) {
      const auto value = static_cast<double>(x[i]);
      const double shrunk = value < -lambd ? value + bias : value > lambd ? value - bias : 0;
      if constexpr (kIsInteger<T>) {
        y[i] = saturate_to<T>(shrunk);
      } else {
        y[i] = T(shrunk);
      }
    }
  });
  return Done{};
}

}  // namespace

extern const OpDef op_shrink = {
    .name = "shrink",
    .summary = "Values moved towards zero, small ones to zero.",
    .kind = OpKind::Function,
    .inputs = {{"x", kNumeric}},
    .attrs = {{"bias", 0.0}, {"lambd", 0.5}},
    .infer = infer_same,
    .cost = cost_per_element<3>,
    .eval = eval_shrink,
    .onnx = {{"Shrink"}},
    .cases = {"(f32[2,3,5])", "(f32[9]) bias=0.25 lambd=0.1"},
};

}  // namespace hone
