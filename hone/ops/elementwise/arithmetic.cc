// add, sub, mul, div: y = a op b, broadcast, followed by `activation` where the result is float.

#include "hone/ops/elementwise/arithmetic.h"

#include <algorithm>

#include "hone/ops/elementwise/arithmetic_quantized.h"
#include "hone/ops/elementwise/broadcast.h"
#include "hone/ops/elementwise/elementwise_tflite.h"
#include "hone/ops/quant/integer.h"

namespace hone {
namespace {

Result<std::vector<ValueType>> infer_plain(const InferContext& in) {
  HONE_RETURN_IF_ERROR(check_quantized(in, 2, kNumeric));
  HONE_TRY(std::vector<ValueType> types, infer_broadcast(in));
  if (in.type(0).quantized()) types[0].tensor.dtype = output_dtype(in);
  return types;
}

Result<std::vector<ValueType>> infer_arithmetic(const InferContext& in) {
  const std::string& activation = in.text("activation");
  HONE_RETURN_IF_ERROR(check_activation(in));
  const DType dtype = in.dtype(0);
  const bool may_activate =
      in.type(0).quantized() || kFloat.contains(dtype) || dtype == DType::Undefined;
  if (!activation.empty() && !may_activate) {
    return unsupported("activation '", activation, "' on ", dtype);
  }
  return infer_plain(in);
}

template <class Fn>
void eval_pairs(EvalContext& in) {
  dispatch_numeric(in.out().dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    broadcast_pairs<T, T, T>(in.in(0), in.in(1), in.out(),
                             [](T a, T b) { return Fn::apply(a, b); });
  });
}

template <class Fn>
Status eval_arithmetic(EvalContext& in) {
  eval_pairs<Fn>(in);
  if (kFloat.contains(in.out().dtype())) activate_all(in.out(), in);
  return Done{};
}

struct Add {
  template <class T>
  static T apply(T a, T b) {
    return add(a, b);
  }
};

struct Sub {
  template <class T>
  static T apply(T a, T b) {
    return subtract(a, b);
  }
};

struct Mul {
  template <class T>
  static T apply(T a, T b) {
    return multiply(a, b);
  }
};

struct Div {
  template <class T>
  static T apply(T a, T b) {
    return divide(a, b);
  }
};

struct SquaredDifference {
  template <class T>
  static T apply(T a, T b) {
    const T difference = subtract(a, b);
    return multiply(difference, difference);
  }
};

Status eval_squared_difference(EvalContext& in) {
  if (in.in(0).type().quantized()) return eval_squared_difference_quantized(in);
  eval_pairs<SquaredDifference>(in);
  return Done{};
}

Status eval_div(EvalContext& in) {
  if (in.in(0).type().quantized()) return eval_div_quantized(in);
  if (kInteger.contains(in.in(1).dtype()) && in.out().elements() > 0 &&
      std::ranges::count(to_ints(in.in(1)), 0) > 0) {
    return bad_input("an integer is divided by zero");
  }
  return eval_arithmetic<Div>(in);
}

template <class Fn, Status (*eval_quantized)(EvalContext&)>
Status eval_arithmetic(EvalContext& in) {
  return in.in(0).type().quantized() ? eval_quantized(in) : eval_arithmetic<Fn>(in);
}

OpDef binary(std::string_view name, std::string_view onnx, std::string_view summary,
             Status (*evaluate)(EvalContext&), std::vector<TfliteRule> tflite) {
  return {
      .name = name,
      .summary = summary,
      .kind = OpKind::Broadcast,
      .half = true,
      .inputs = {{"a", kNumeric, 'T'}, {"b", kNumeric, 'T'}},
      .attrs = {activation_attr(), activation_params_attr()},
      .quantized = true,
      .infer = infer_arithmetic,
      .cost = cost_broadcast,
      .eval = evaluate,
      .onnx = {{onnx, upgrade_broadcast}},
      .tflite = std::move(tflite),
      .cases = {"(f32[2,3,4], f32[2,3,4])", "(f32[2,3,4], const f32[4])", "(f32[2,1,4], f32[3,1])",
                "(i32[2,3], i32[3]{1 -2 3})"},
  };
}

}  // namespace

extern const OpDef op_add = with_integers(
    IntegerForm::Scaled, binary("add", "Add", "a + b.", eval_arithmetic<Add, eval_add_quantized>,
                                {{"ADD", import_activated_as<"add">}, {"ADD_N", import_add_n}}));
extern const OpDef op_sub = with_integers(
    IntegerForm::Scaled, binary("sub", "Sub", "a - b.", eval_arithmetic<Sub, eval_sub_quantized>,
                                {{"SUB", import_activated_as<"sub">}}));
extern const OpDef op_mul = with_integers(
    IntegerForm::Scaled, binary("mul", "Mul", "a * b.", eval_arithmetic<Mul, eval_mul_quantized>,
                                {{"MUL", import_activated_as<"mul">}, {"SQUARE", import_square}}));
extern const OpDef op_div = binary("div", "Div", "a / b; integers are cut towards zero.", eval_div,
                                   {{"DIV", import_activated_as<"div">}});

extern const OpDef op_squared_difference = [] {
  OpDef op = binary("squared_difference", "", "(a - b) * (a - b).", eval_squared_difference,
                    {{"SQUARED_DIFFERENCE", import_squared_difference}});
  op.half = false;
  op.attrs = {};
  op.infer = infer_plain;
  op.onnx = {};
  return op;
}();

}  // namespace hone
