// Comparisons of broadcast operands.

#include <functional>

#include "hone/ops/elementwise/arithmetic.h"
#include "hone/ops/elementwise/broadcast.h"
#include "hone/ops/elementwise/elementwise_tflite.h"

namespace hone {
namespace {

template <class Fn>
Status eval(EvalContext& in) {
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
  return eval<std::equal_to<>>(in);
}

OpDef compare(std::string_view name, std::string_view onnx, std::vector<TfliteRule> tflite,
              std::string_view summary, DTypeSet types, Status (*evaluate)(EvalContext&)) {
  return {
      .name = name,
      .summary = summary,
      .inputs = {{"a", types, 'T'}, {"b", types, 'T'}},
      .infer = infer_predicate,
      .cost = cost_broadcast,
      .eval = evaluate,
      .onnx = {{onnx, upgrade_broadcast}},
      .tflite = std::move(tflite),
  };
}

}  // namespace

extern const OpDef op_equal =
    compare("equal", "Equal", {{"EQUAL", import_as<"equal">}, {"NOT_EQUAL", import_not_equal}},
            "a == b.", kNumeric | kBoolean | kText, eval_equal);
extern const OpDef op_less =
    compare("less", "Less", {{"LESS", import_as<"less">}}, "a < b.", kNumeric, eval<std::less<>>);
extern const OpDef op_less_or_equal =
    compare("less_or_equal", "LessOrEqual", {{"LESS_EQUAL", import_as<"less_or_equal">}}, "a <= b.",
            kNumeric, eval<std::less_equal<>>);
extern const OpDef op_greater = compare("greater", "Greater", {{"GREATER", import_as<"greater">}},
                                        "a > b.", kNumeric, eval<std::greater<>>);
extern const OpDef op_greater_or_equal = compare("greater_or_equal", "GreaterOrEqual",
                                                 {{"GREATER_EQUAL", import_as<"greater_or_equal">}},
                                                 "a >= b.", kNumeric, eval<std::greater_equal<>>);

}  // namespace hone
