// Sequences of tensors: making them, and taking elements out and putting them in.

#include "hone/ops/common.h"
#include "hone/ops/op_def.h"

namespace hone {
namespace {

constexpr InputDef::Kind kSequence = InputDef::Kind::Sequence;
constexpr InputDef::Presence kGiven = InputDef::Presence::Required;

using Types = Result<std::vector<ValueType>>;

// What is true of elements of both types.
TensorType common_type(const TensorType& a, const TensorType& b) {
  if (plain(a) == plain(b)) return plain(a);
  return TensorType::unranked(a.dtype == DType::Undefined ? b.dtype : a.dtype);
}

Types sequence_of(TensorType type) {
  return std::vector<ValueType>{ValueType::sequence_of(std::move(type))};
}

// The position that input `input` gives, one of the `count` first; negative ones count from the
// end.
Result<size_t> position_in(const EvalContext& in, size_t input, size_t count) {
  const std::vector<int64_t> given = to_ints(in.in(input));
  if (given.size() != 1) {
    return bad_input("the position is ", in.in(input).type(), ", expected one integer");
  }
  const auto limit = static_cast<int64_t>(count);
  const auto size = static_cast<int64_t>(in.item(0).sequence.size());
  const int64_t position = given[0] < 0 ? given[0] + size : given[0];
  if (position < 0 || position >= limit) {
    return bad_input("position ", given[0], " is outside a sequence of ", size, " elements");
  }
  return static_cast<size_t>(position);
}

Types infer_empty(const InferContext& in) {
  return sequence_of(TensorType::unranked(in.attr<DType>("dtype")));
}

Status eval_empty(EvalContext& in) {
  in.set(0, std::vector<Tensor>());
  return Done{};
}

Types infer_construct(const InferContext& in) {
  TensorType type = plain(in.type(0));
  for (size_t i = 1; i < in.inputs(); ++i) type = common_type(type, in.type(i));
  return sequence_of(std::move(type));
}

Status eval_construct(EvalContext& in) {
  std::vector<Tensor> elements;
  for (size_t i = 0; i < in.inputs(); ++i) elements.push_back(in.in(i));
  in.set(0, std::move(elements));
  return Done{};
}

Types infer_insert(const InferContext& in) {
  return sequence_of(common_type(in.type(0), in.type(1)));
}

Status eval_insert(EvalContext& in) {
  std::vector<Tensor> elements = in.item(0).sequence;
  size_t position = elements.size();
  if (in.has(2)) {
    HONE_TRY(position, position_in(in, 2, elements.size() + 1));
  }
  elements.insert(elements.begin() + static_cast<std::ptrdiff_t>(position), in.in(1));
  in.set(0, std::move(elements));
  return Done{};
}

Types infer_erase(const InferContext& in) {
  return sequence_of(plain(in.type(0)));
}

Status eval_erase(EvalContext& in) {
  std::vector<Tensor> elements = in.item(0).sequence;
  if (elements.empty()) return bad_input("erases from an empty sequence");
  size_t position = elements.size() - 1;
  if (in.has(1)) {
    HONE_TRY(position, position_in(in, 1, elements.size()));
  }
  elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(position));
  in.set(0, std::move(elements));
  return Done{};
}

Types infer_at(const InferContext& in) {
  return std::vector<ValueType>{plain(in.type(0))};
}

Status eval_at(EvalContext& in) {
  const std::vector<Tensor>& elements = in.item(0).sequence;
  HONE_TRY(const size_t position, position_in(in, 1, elements.size()));
  in.set(0, elements[position]);
  return Done{};
}

Types infer_length(const InferContext&) {
  return std::vector<ValueType>{ValueType(DType::I64, {})};
}

Status eval_length(EvalContext& in) {
  in.out().mutable_data<int64_t>()[0] = static_cast<int64_t>(in.item(0).sequence.size());
  return Done{};
}

}  // namespace

extern const OpDef op_sequence_empty = {
    .name = "sequence_empty",
    .summary = "A sequence without elements.",
    .inputs = {},
    .attrs = {{"dtype", DType::F32}},
    .infer = infer_empty,
    .eval = eval_empty,
    .onnx = {{"SequenceEmpty"}},
    .cases = {"()"},
};

extern const OpDef op_sequence_construct = {
    .name = "sequence_construct",
    .summary = "A sequence of the inputs.",
    .inputs = {{"elements", kEvery, 'T', kVariadic}},
    .infer = infer_construct,
    .eval = eval_construct,
    .onnx = {{"SequenceConstruct"}},
    .cases = {"(f32[2], f32[3])"},
};

extern const OpDef op_sequence_insert = {
    .name = "sequence_insert",
    .summary = "A sequence with one more element, at the end or at a position.",
    .inputs = {{"sequence", kEvery, 'T', kGiven, kSequence},
               {"element", kEvery, 'T'},
               {"position", kIndex, 0, kOptional}},
    .infer = infer_insert,
    .eval = eval_insert,
    .onnx = {{"SequenceInsert"}},
    .cases = {"(sequence f32[3], f32[3])"},
};

extern const OpDef op_sequence_erase = {
    .name = "sequence_erase",
    .summary = "A sequence without its last element, or without the one at a position.",
    .inputs = {{"sequence", kEvery, 0, kGiven, kSequence}, {"position", kIndex, 0, kOptional}},
    .infer = infer_erase,
    .eval = eval_erase,
    .onnx = {{"SequenceErase"}},
    .cases = {"(sequence f32[3])"},
};

extern const OpDef op_sequence_at = {
    .name = "sequence_at",
    .summary = "The element of a sequence at a position.",
    .inputs = {{"sequence", kEvery, 0, kGiven, kSequence}, {"position", kIndex}},
    .infer = infer_at,
    .eval = eval_at,
    .onnx = {{"SequenceAt"}},
    .cases = {"(sequence f32[3], i64[]{0})"},
};

extern const OpDef op_sequence_length = {
    .name = "sequence_length",
    .summary = "The number of elements of a sequence.",
    .inputs = {{"sequence", kEvery, 0, kGiven, kSequence}},
    .infer = infer_length,
    .eval = eval_length,
    .onnx = {{"SequenceLength"}},
    .cases = {"(sequence f32[3])"},
};

}  // namespace hone
