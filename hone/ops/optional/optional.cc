// Values that may be absent.

#include "hone/ops/common.h"
#include "hone/ops/op_def.h"

namespace hone {
namespace {

constexpr InputDef::Kind kAnyKind = InputDef::Kind::Any;

// "f32", "sequence of f32": how the importer spells the type that the file gives.
Result<ValueType> type_named(std::string_view name) {
  constexpr std::string_view kPrefix = "sequence of ";
  const bool sequence = name.starts_with(kPrefix);
  if (sequence) name.remove_prefix(kPrefix.size());
  const std::optional<DType> dtype = dtype_named(name);
  if (!dtype) return bad_input("'", name, "' is not a type");
  ValueType type = TensorType::unranked(*dtype);
  type.sequence = sequence;
  return type;
}

Result<std::vector<ValueType>> infer_optional(const InferContext& in) {
  ValueType type;
  if (in.has(0)) {
    type = in.value_type(0);
    type.tensor = plain(type.tensor);
  } else if (in.has_attr("type")) {
    HONE_TRY(type, type_named(in.text("type")));
  } else {
    return bad_input("has neither an input nor a type");
  }
  type.optional = true;
  return std::vector<ValueType>{type};
}

Status eval_optional(EvalContext& in) {
  in.set(0, in.has(0) ? in.item(0) : Item());
  return Done{};
}

Result<std::vector<ValueType>> infer_get(const InferContext& in) {
  ValueType type = in.value_type(0);
  type.tensor = plain(type.tensor);
  type.optional = false;
  return std::vector<ValueType>{type};
}

Status eval_get(EvalContext& in) {
  if (!in.has(0)) return bad_input("takes the element of an optional that is empty");
  in.set(0, in.item(0));
  return Done{};
}

Result<std::vector<ValueType>> infer_has(const InferContext&) {
  return std::vector<ValueType>{ValueType(DType::Bool, {})};
}

Status eval_has(EvalContext& in) {
  in.out().mutable_data<bool>()[0] = in.has(0);
  return Done{};
}

}  // namespace

extern const OpDef op_optional = {
    .name = "optional",
    .summary = "An optional that holds the input, or nothing.",
    .inputs = {{"x", kEvery, 0, kOptional, kAnyKind}},
    .attrs = {{"type", std::string(), kAbsent}},
    .infer = infer_optional,
    .eval = eval_optional,
    .onnx = {{"Optional"}},
    .cases = {"(f32[2,3,5])"},
};

extern const OpDef op_optional_get_element = {
    .name = "optional_get_element",
    .summary = "What an optional holds.",
    .inputs = {{"x", kEvery, 0, InputDef::Presence::Required, kAnyKind}},
    .infer = infer_get,
    .eval = eval_get,
    .onnx = {{"OptionalGetElement"}},
    .cases = {"(optional f32[3])"},
};

extern const OpDef op_optional_has_element = {
    .name = "optional_has_element",
    .summary = "Whether an optional holds something.",
    .inputs = {{"x", kEvery, 0, kOptional, kAnyKind}},
    .infer = infer_has,
    .eval = eval_has,
    .onnx = {{"OptionalHasElement"}},
    .cases = {"(optional f32[3])"},
};

}  // namespace hone
