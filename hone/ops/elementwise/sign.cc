// abs, neg and sign, of any numeric type. The most negative integer has no positive counterpart:
// abs and neg leave it as it is.

#include "hone/ops/elementwise/arithmetic.h"
#include "hone/ops/elementwise/broadcast.h"
#include "hone/ops/elementwise/table_quantized.h"
#include "hone/ops/quant/integer.h"
#include "hone/ops/tflite_import.h"

namespace hone {
namespace {

template <class Fn>
Status eval_sign(EvalContext& in) {
  dispatch_numeric(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto x = in.in(0).data<T>();
    const auto y = in.out().template mutable_data<T>();
    for (size_t i = 0; i < x.size(); ++i) y[i] = T(Fn::apply(Compute<T>(x[i])));
  });
  return Done{};
}

struct Neg {
  template <class T>
  static T apply(T x) {
    if constexpr (kIsInteger<T>) {
      return subtract(T{0}, x);
    } else {
      return -x;
    }
  }
};

struct Abs {
  template <class T>
  static T apply(T x) {
    if constexpr (kIsInteger<T>) {
      return x < T{0} ? subtract(T{0}, x) : x;
    } else {
      return std::fabs(x);
    }
  }
};

struct Sign {
  template <class T>
  static T apply(T x) {
    if (is_nan(x)) return x;
    return static_cast<T>((x > T{0}) - (x < T{0}));
  }
};

OpDef unary(std::string_view name, std::string_view onnx, TfliteRule tflite,
            std::string_view summary, DTypeSet types, Status (*evaluate)(EvalContext&)) {
  return {
      .name = name,
      .summary = summary,
      .kind = OpKind::Function,
      .inputs = {{"x", types}},
      .infer = infer_same,
      .cost = cost_per_element<1>,
      .eval = evaluate,
      .onnx = {{onnx, drop_consumed_inputs}},
      .tflite = {tflite},
      .cases = {"(f32[2,3,5])", "(i32[7])"},
  };
}

Result<std::vector<ValueType>> infer_abs(const InferContext& in) {
  HONE_RETURN_IF_ERROR(check_quantized(in, 1, kNumeric));
  return infer_same(in);
}

Status eval_abs(EvalContext& in) {
  return in.in(0).type().quantized() ? eval_abs_quantized(in) : eval_sign<Abs>(in);
}

OpDef quantized_too(OpDef op) {
  op.quantized = true;
  op.infer = infer_abs;
  return op;
}

}  // namespace

extern const OpDef op_abs = quantized_too(
    unary("abs", "Abs", {"ABS", import_as<"abs">}, "Absolute value.", kNumeric, eval_abs));
extern const OpDef op_neg =
    unary("neg", "Neg", {"NEG", import_as<"neg">}, "-x.", kFloat | kSigned, eval_sign<Neg>);
extern const OpDef op_sign =
    unary("sign", "Sign", {"SIGN", import_as<"sign">}, "-1, 0 or 1.", kNumeric, eval_sign<Sign>);

}  // namespace hone
