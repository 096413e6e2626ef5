// add, sub, mul, div: y = a op b, broadcast, followed by `activation` where the result is float.

#include "hone/ops/elementwise/arithmetic.h"

#include <algorithm>

#include "hone/ops/elementwise/arithmetic_quantized.h"
#include "hone/ops/elementwise/broadcast.h"
#include "hone/ops/elementwise/elementwise_tflite.h"
#include "hone/ops/quant/integer.h"

namespace hone {
namespace {

Result<std::vector<ValueType>> infer(const InferContext& in) {
  const std::string& activation = in.text("activation");
  HONE_RETURN_IF_ERROR(check_activation(activation));
  HONE_RETURN_IF_ERROR(check_quantized(in, 2, kNumeric));
  if (in.type(0).quantized()) {
    HONE_TRY(std::vector<ValueType> types, infer_broadcast(in));
    types[0].tensor.dtype = output_dtype(in);
    return types;
  }
  const DType dtype = in.dtype(0);
  if (!activation.empty() && dtype != DType::F32 && dtype != DType::Undefined) {
    return unsupported("activation '", activation, "' on ", dtype);
  }
  return infer_broadcast(in);
}

template <class Fn>
Status eval(EvalContext& in) {
  Tensor& y = in.out();
  dispatch_numeric(y.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    broadcast_pairs<T, T, T>(in.in(0), in.in(1), y, [](T a, T b) { return Fn::apply(a, b); });
  });
  const std::string& activation = in.text("activation");
  if (!activation.empty()) {
    for (float& value : y.mutable_data<float>()) value = activate(value, activation);
  }
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

Status eval_div(EvalContext& in) {
  if (kInteger.contains(in.in(1).dtype()) && in.out().elements() > 0 &&
      std::ranges::count(to_ints(in.in(1)), 0) > 0) {
    return bad_input("an integer is divided by zero");
  }
  return eval<Div>(in);
}

template <class Fn, Status (*eval_quantized)(EvalContext&)>
Status eval_either(EvalContext& in) {
  return in.in(0).type().quantized() ? eval_quantized(in) : eval<Fn>(in);
}

OpDef binary(std::string_view name, std::string_view onnx, std::string_view summary,
             Status (*evaluate)(EvalContext&), std::vector<TfliteRule> tflite) {
  return {
      .name = name,
      .summary = summary,
      .inputs = {{"a", kNumeric, 'T'}, {"b", kNumeric, 'T'}},
      .attrs = {activation_attr()},
      .quantized = evaluate != eval_div,
      .infer = infer,
      .cost = cost_broadcast,
      .eval = evaluate,
      .onnx = {{onnx, upgrade_broadcast}},
      .tflite = std::move(tflite),
  };
}

}  // namespace

extern const OpDef op_add = binary("add", "Add", "a + b.", eval_either<Add, eval_add_quantized>,
                                   {{"ADD", import_activated_as<"add">}});
extern const OpDef op_sub = binary(
    "sub", "Sub", "a - b.", eval_either<Sub, eval_sub_quantized>,
    {{"SUB", import_activated_as<"sub">}, {"SQUARED_DIFFERENCE", import_squared_difference}});
extern const OpDef op_mul =
    binary("mul", "Mul", "a * b.", eval_either<Mul, eval_mul_quantized>,
           {{"MUL", import_activated_as<"mul">}, {"SQUARE", import_square}});
extern const OpDef op_div = binary("div", "Div", "a / b; integers are cut towards zero.", eval_div,
                                   {{"DIV", import_activated_as<"div">}});

}  // namespace hone
