// Joins the elements of a sequence along an axis, or along a new one.

#include <algorithm>

#include "hone/ops/common.h"
#include "hone/ops/op_def.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

Result<std::vector<ValueType>> infer_concat_from_sequence(const InferContext& in) {
  const int64_t new_axis = in.integer("new_axis");
  if (new_axis != 0 && new_axis != 1)
    return bad_input("new_axis is ", new_axis, ", expected 0 or 1");
  return std::vector<ValueType>{TensorType::unranked(in.dtype(0))};
}

bool equal_but_for(const Shape& a, const Shape& b, size_t axis) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (i != axis && a[i] != b[i]) return false;
  }
  return true;
}

Result<TensorType> joined_type(const std::vector<Tensor>& elements, size_t axis) {
  TensorType type = plain(elements[0].type());
  type.shape[axis] = 0;
  for (const Tensor& element : elements) {
    if (element.dtype() != type.dtype || !equal_but_for(element.shape(), type.shape, axis)) {
      return bad_input("elements ", elements[0].type(), " and ", element.type(),
                       " do not join along axis ", axis);
    }
    if (__builtin_add_overflow(type.shape[axis], element.shape()[axis], &type.shape[axis])) {
      return bad_input("the joined extent overflows");
    }
  }
  HONE_RETURN_IF_ERROR(type.check());
  return type;
}

template <class T>
void join_along(const std::vector<Tensor>& elements, size_t axis, Tensor& joined) {
  const AxisSplit whole = split_at(joined.shape(), axis);
  T* to = mutable_raw<T>(joined);
  for (const Tensor& element : elements) {
    const int64_t line = element.shape()[axis] * whole.inner;
    const T* from = raw<T>(element);
    for (int64_t o = 0; o < whole.outer; ++o) {
      std::copy_n(from + o * line, line, to + o * whole.n * whole.inner);
    }
    to += line;
  }
}

Status eval_concat_from_sequence(EvalContext& in) {
  std::vector<Tensor> elements = in.item(0).sequence;
  if (elements.empty()) return bad_input("joins an empty sequence");
  const bool new_axis = in.integer("new_axis") != 0;
  const int64_t rank = elements[0].rank() + (new_axis ? 1 : 0);
  HONE_TRY(const size_t axis, resolve_axis(in.integer("axis"), rank));
  for (Tensor& element : elements) {
    if (!new_axis) break;
    Shape shape = element.shape();
    if (shape.size() < axis) return bad_input("elements are of different ranks");
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), 1);
    element = element.reshaped(std::move(shape));
  }
  HONE_TRY(TensorType type, joined_type(elements, axis));
  Tensor joined(std::move(type));
  dispatch_by_size(joined.dtype(), [&](auto tag) {
    join_along<typename decltype(tag)::type>(elements, axis, joined);
  });
  in.set(0, std::move(joined));
  return Done{};
}

}  // namespace

extern const OpDef op_concat_from_sequence = {
    .name = "concat_from_sequence",
    .summary = "The elements of a sequence joined along an axis.",
    .inputs = {{"sequence", kAny, 0, InputDef::Presence::Required, InputDef::Kind::Sequence}},
    .attrs = {{"axis", int64_t{0}, kRequired}, {"new_axis", int64_t{0}}},
    .infer = infer_concat_from_sequence,
    .eval = eval_concat_from_sequence,
    .onnx = {{"ConcatFromSequence"}},
    .cases = {"(sequence f32[2,3]) axis=0"},
};

}  // namespace hone
