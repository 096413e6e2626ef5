// and, or, xor, not of booleans.

#include <functional>

#include "hone/ops/elementwise/broadcast.h"
#include "hone/ops/tflite_import.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

template <class Fn>
Status eval_logical(EvalContext& in) {
  broadcast_pairs<bool, bool, bool>(in.in(0), in.in(1), in.out(),
                                    [](bool a, bool b) { return static_cast<bool>(Fn()(a, b)); });
  return Done{};
}

Status eval_not_logical(EvalContext& in) {
  const auto x = in.in(0).data<bool>();
  const auto y = in.out().mutable_data<bool>();
  for (size_t i = 0; i < x.size(); ++i) y[i] = !x[i];
  return Done{};
}

template <class Fn>
OpDef logical(std::string_view name, std::string_view onnx, std::vector<TfliteRule> tflite,
              std::string_view summary) {
  return {
      .name = name,
      .summary = summary,
      .kind = OpKind::Broadcast,
      .inputs = {{"a", kBoolean}, {"b", kBoolean}},
      .infer = infer_predicate,
      .cost = cost_broadcast,
      .eval = eval_logical<Fn>,
      .onnx = {{onnx, upgrade_broadcast}},
      .tflite = std::move(tflite),
      .cases = {"(bool[2,3], bool[3])"},
  };
}

}  // namespace

extern const OpDef op_and = logical<std::logical_and<>>(
    "and", "And", {{"LOGICAL_AND", import_as<"and">}}, "True where both are.");
extern const OpDef op_or = logical<std::logical_or<>>("or", "Or", {{"LOGICAL_OR", import_as<"or">}},
                                                      "True where one or both are.");
extern const OpDef op_xor =
    logical<std::not_equal_to<>>("xor", "Xor", {}, "True where just one is.");
extern const OpDef op_not = {
    .name = "not",
    .summary = "True where x is false.",
    .kind = OpKind::Function,
    .inputs = {{"x", kBoolean}},
    .infer = infer_same,
    .cost = cost_per_element<1>,
    .eval = eval_not_logical,
    .onnx = {{"Not"}},
    .tflite = {{"LOGICAL_NOT", import_as<"not">}},
    .cases = {"(bool[2,7])"},
};

}  // namespace hone
