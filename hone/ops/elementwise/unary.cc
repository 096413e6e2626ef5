// Functions of one float: y[i] = f(x[i]). Short floats are computed in float and rounded once.

#include <cmath>

#include "hone/ops/elementwise/broadcast.h"
#include "hone/ops/elementwise/elementwise_tflite.h"
#include "hone/ops/elementwise/table_quantized.h"
#include "hone/ops/quant/integer.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

// `Fn` is a type with a static function template apply(T) for T float and double.
template <class Fn>
Status eval_unary(EvalContext& in) {
  dispatch_float(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto x = in.in(0).data<T>();
    const auto y = in.out().mutable_data<T>();
    for (size_t i = 0; i < x.size(); ++i) y[i] = T(Fn::apply(Compute<T>(x[i])));
  });
  return Done{};
}

template <class Fn>
OpDef unary(std::string_view name, std::string_view onnx, std::string_view summary,
            std::vector<TfliteRule> tflite = {}) {
  return {
      .name = name,
      .summary = summary,
      .kind = OpKind::Function,
      .inputs = {{"x", kFloat}},
      .infer = infer_same,
      .cost = cost_per_element<1>,
      .eval = eval_unary<Fn>,
      .onnx = {{onnx, drop_consumed_inputs}},
      .tflite = std::move(tflite),
      .cases = {"(f32[2,3,5])", "(f16[7])"},
  };
}

// One that TFLite has for quantized numbers too.
template <class Fn, Status (*eval_quantized)(EvalContext&)>
OpDef quantizable(std::string_view name, std::string_view onnx, std::string_view summary,
                  std::vector<TfliteRule> tflite) {
  OpDef op = unary<Fn>(name, onnx, summary, std::move(tflite));
  op.inputs = {{"x", kFloat | kQuantized}};
  op.quantized = true;
  op.infer = infer_quantizable;
  op.eval = [](EvalContext& in) {
    return in.in(0).type().quantized() ? eval_quantized(in) : eval_unary<Fn>(in);
  };
  return op;
}

}  // namespace

#define HONE_FUNCTION(name, expression) \
  namespace {                           \
  struct name##_fn {                    \
    template <class T>                  \
    static T apply(T x) {               \
      return expression;                \
    }                                   \
  };                                    \
  }
#define HONE_UNARY(name, onnx, expression, ...) \
  HONE_FUNCTION(name, expression)               \
  extern const OpDef op_##name = unary<name##_fn>(#name, onnx, __VA_ARGS__);
#define HONE_QUANTIZABLE(name, onnx, expression, ...) \
  HONE_FUNCTION(name, expression)                     \
  extern const OpDef op_##name =                      \
      quantizable<name##_fn, eval_##name##_quantized>(#name, onnx, __VA_ARGS__);

HONE_UNARY(acos, "Acos", std::acos(x), "Inverse cosine.")
HONE_UNARY(acosh, "Acosh", std::acosh(x), "Inverse hyperbolic cosine.")
HONE_UNARY(asin, "Asin", std::asin(x), "Inverse sine.")
HONE_UNARY(asinh, "Asinh", std::asinh(x), "Inverse hyperbolic sine.")
HONE_UNARY(atan, "Atan", std::atan(x), "Inverse tangent.")
HONE_UNARY(atanh, "Atanh", std::atanh(x), "Inverse hyperbolic tangent.")
HONE_UNARY(ceil, "Ceil", std::ceil(x), "Smallest integer not below x.",
           {{"CEIL", import_as<"ceil">}})
HONE_UNARY(cos, "Cos", std::cos(x), "Cosine.", {{"COS", import_as<"cos">}})
HONE_UNARY(cosh, "Cosh", std::cosh(x), "Hyperbolic cosine.")
HONE_UNARY(erf, "Erf", std::erf(x), "Error function.")
HONE_QUANTIZABLE(exp, "Exp", std::exp(x), "Exponential.", {{"EXP", import_as<"exp">}})
HONE_UNARY(floor, "Floor", std::floor(x), "Largest integer not above x.",
           {{"FLOOR", import_as<"floor">}, {"FLOOR_DIV", import_floor_div}})
HONE_QUANTIZABLE(log, "Log", std::log(x), "Natural logarithm.", {{"LOG", import_as<"log">}})
HONE_UNARY(reciprocal, "Reciprocal", T(1) / x, "1 / x.")
// The default rounding mode is to nearest, ties to even, as ONNX asks.
HONE_UNARY(round, "Round", std::nearbyint(x), "Nearest integer, ties to even.",
           {{"ROUND", import_as<"round">}})
HONE_UNARY(sin, "Sin", std::sin(x), "Sine.", {{"SIN", import_as<"sin">}})
HONE_UNARY(sinh, "Sinh", std::sinh(x), "Hyperbolic sine.")
HONE_UNARY(softplus, "Softplus", std::log1p(std::exp(-std::fabs(x))) + (x > 0 ? x : T(0)),
           "log(1 + exp(x)).")
HONE_UNARY(softsign, "Softsign", x / (T(1) + std::fabs(x)), "x / (1 + |x|).")
HONE_QUANTIZABLE(sqrt, "Sqrt", std::sqrt(x), "Square root.", {{"SQRT", import_as<"sqrt">}})
HONE_UNARY(tan, "Tan", std::tan(x), "Tangent.")

HONE_FUNCTION(rsqrt, T(1) / std::sqrt(x))
extern const OpDef op_rsqrt = [] {
  OpDef op = quantizable<rsqrt_fn, eval_rsqrt_quantized>("rsqrt", "", "1 / sqrt(x).",
                                                         {{"RSQRT", import_rsqrt}});
  op.onnx = {};
  return op;
}();

}  // namespace hone
