// if(cond, captures...): the outputs of then_branch when cond is true, else those of else_branch.

#include "hone/ops/control/body.h"
#include "hone/ops/control/control_tflite.h"

namespace hone {
namespace {

// What both types say.
TensorType common_part(TensorType a, const TensorType& b) {
  if (!a.ranked || !b.ranked || a.rank() != b.rank()) return TensorType::unranked(a.dtype);
  for (size_t i = 0; i < a.shape.size(); ++i) {
    if (a.shape[i] != b.shape[i]) a.shape[i] = kUnknown;
  }
  return a;
}

// Extents, where the branches agree on them.
void infer_extents(const InferContext& in, std::vector<ValueType>& types) {
  const std::vector<const ValueType*> given = types_from(in, 1);
  std::vector<ValueType> made = types_in_body(body_of(in, "then_branch"), given);
  const std::vector<ValueType> other = types_in_body(body_of(in, "else_branch"), given);
  if (made.empty() || other.empty()) return;
  for (size_t i = 0; i < types.size(); ++i) {
    if (!made[i].is_tensor() || !other[i].is_tensor()) continue;
    made[i].tensor = common_part(std::move(made[i].tensor), other[i].tensor);
    take_extents(types[i], made[i]);
  }
}

Result<std::vector<ValueType>> infer_if(const InferContext& in) {
  HONE_TRY(const size_t own, own_inputs(in, 1));
  if (own != 1) return bad_input("has ", own, " inputs of its own, expected only the condition");
  std::vector<ValueType> types;
  for (const char* branch : {"then_branch", "else_branch"}) {
    HONE_RETURN_IF_ERROR(
        check_body(body_of(in, branch), in.inputs() - own, in.outputs()).in(branch));
  }
  for (size_t i = 0; i < in.outputs(); ++i) {
    const Value& declared = *in.node().outputs[i];
    const Value* on_true = body_of(in, "then_branch").outputs()[i];
    const Value* on_false = body_of(in, "else_branch").outputs()[i];
    ValueType type = type_from_body(on_true, declared);
    const ValueType other = type_from_body(on_false, declared);
    if (type.tensor.dtype == DType::Undefined) type = other;
    type.optional = type.optional || other.optional;
    types.push_back(std::move(type));
  }
  infer_extents(in, types);
  return types;
}

Status eval_if(EvalContext& in) {
  HONE_TRY(const bool condition, truth_of(in.item(0)));
  const Graph& branch = body_of(in, condition ? "then_branch" : "else_branch");
  HONE_TRY(std::vector<Item> results, in.run(branch, items_from(in, 1)));
  for (size_t i = 0; i < in.outputs(); ++i) in.set(i, std::move(results[i]));
  return Done{};
}

}  // namespace

extern const OpDef op_if = {
    .name = "if",
    .summary = "Runs one of two subgraphs.",
    .inputs = {{"cond", kBoolean}, captures_input("captures")},
    .attrs = {body_attr("then_branch"), body_attr("else_branch"), captures_attr()},
    .max_outputs = kManyOutputs,
    .quantized = true,
    .infer = infer_if,
    .eval = eval_if,
    .onnx = {{"If"}},
    .tflite = {{"IF", import_if}},
    .cases = {"(bool[]) then_branch=graph() -> (%k) {\n const %k: i64[] = {1}\n} "
              "else_branch=graph() -> (%k) {\n const %k: i64[] = {2}\n}"},
};

}  // namespace hone
