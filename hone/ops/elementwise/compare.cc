// Comparisons of broadcast operands.

#include <functional>

#include "hone/ops/elementwise/arithmetic.h"
#include "hone/ops/elementwise/broadcast.h"
#include "hone/ops/elementwise/elementwise_tflite.h"
#include "hone/ops/quant/integer.h"

namespace hone {
namespace {

// Two activations, and with 16 bits of one quantization, since TFLite compares those as they are
// stored. Scales of 1 and more would make its kernel shift by a negative number.
Status check_quantized_operands(const InferContext& in) {
  const TensorType& a = in.type(0);
  const TensorType& b = in.type(1);
  if (!a.quantized() && !b.quantized()) return Done{};
  if (!a.quantized() || !b.quantized()) return unsupported("only one operand is quantized");
  if (!kQuantized.contains(a.dtype) || !a.quant->per_tensor() || !b.quant->per_tensor()) {
    return unsupported("comparing quantized ", a.dtype, ", or values quantized per channel");
  }
  if (a.dtype == DType::I16 && *a.quant != *b.quant) {
    return unsupported("comparing i16 of different scales");
  }
  if (a.dtype != DType::I16 && (a.quant->scale() >= 1 || b.quant->scale() >= 1)) {
    return unsupported("comparing quantized values of scale ", a.quant->scale(), " and ",
                       b.quant->scale(), ", expected less than 1");
  }
  return Done{};
}

Result<std::vector<ValueType>> infer_compare(const InferContext& in) {
  HONE_RETURN_IF_ERROR(check_quantized_operands(in));
  return infer_predicate(in);
}

// Both operands times 2^8 times their scales, which are rounded to whole numbers.
template <class Fn>
void eval_scaled(EvalContext& in) {
  const Rounding rounding = in.options().rounding;
  const FixedPoint a_factor = fixed_point(double{scale_of(in.in(0))});
  const FixedPoint b_factor = fixed_point(double{scale_of(in.in(1))});
  const auto scaled = [&](int64_t q, const Tensor& of, FixedPoint factor) {
    const auto steps = static_cast<uint32_t>(q - zero_point_of(of)) << 8;
    return scale_by(static_cast<int32_t>(steps), factor, rounding);
  };
  dispatch<int8_t, uint8_t>(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    broadcast_pairs<T, T, bool>(in.in(0), in.in(1), in.out(), [&](T a, T b) {
      return Fn()(scaled(a, in.in(0), a_factor), scaled(b, in.in(1), b_factor));
    });
  });
}

template <class Fn>
Status eval_compare(EvalContext& in) {
  if (in.in(0).type().quantized() && in.in(0).dtype() != DType::I16) {
    eval_scaled<Fn>(in);
    return Done{};
  }
  dispatch_numeric(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    broadcast_pairs<T, T, bool>(in.in(0), in.in(1), in.out(), [](T a, T b) {
      return Fn()(static_cast<Compute<T>>(a), static_cast<Compute<T>>(b));
    });
  });
  return Done{};
}

Status eval_equal(EvalContext& in) {
  const DType dtype = in.in(0).dtype();
  if (dtype == DType::String) {
    broadcast_pairs<std::string, std::string, bool>(in.in(0), in.in(1), in.out(),
                                                    std::equal_to<std::string>());
    return Done{};
  }
  if (dtype == DType::Bool) {
    broadcast_pairs<bool, bool, bool>(in.in(0), in.in(1), in.out(), std::equal_to<bool>());
    return Done{};
  }
  return eval_compare<std::equal_to<>>(in);
}

OpDef compare(std::string_view name, std::string_view onnx, std::vector<TfliteRule> tflite,
              std::string_view summary, DTypeSet types, Status (*evaluate)(EvalContext&)) {
  return {
      .name = name,
      .summary = summary,
      .kind = OpKind::Broadcast,
      .inputs = {{"a", types, 'T'}, {"b", types, 'T'}},
      .quantized = true,
      .infer = infer_compare,
      .cost = cost_broadcast,
      .eval = evaluate,
      .onnx = {{onnx, upgrade_broadcast}},
      .tflite = std::move(tflite),
      .cases = {"(f32[2,3], f32[3])", "(i32[2,3], i32[2,3])"},
  };
}

}  // namespace

extern const OpDef op_equal =
    compare("equal", "Equal", {{"EQUAL", import_as<"equal">}, {"NOT_EQUAL", import_not_equal}},
            "a == b.", kNumeric | kBoolean | kText, eval_equal);
extern const OpDef op_less = compare("less", "Less", {{"LESS", import_as<"less">}}, "a < b.",
                                     kNumeric, eval_compare<std::less<>>);
extern const OpDef op_less_or_equal =
    compare("less_or_equal", "LessOrEqual", {{"LESS_EQUAL", import_as<"less_or_equal">}}, "a <= b.",
            kNumeric, eval_compare<std::less_equal<>>);
extern const OpDef op_greater = compare("greater", "Greater", {{"GREATER", import_as<"greater">}},
                                        "a > b.", kNumeric, eval_compare<std::greater<>>);
extern const OpDef op_greater_or_equal = compare(
    "greater_or_equal", "GreaterOrEqual", {{"GREATER_EQUAL", import_as<"greater_or_equal">}},
    "a >= b.", kNumeric, eval_compare<std::greater_equal<>>);

}  // namespace hone
