// shape: the extents of x from axis `start` to `end` as int64; size: the number of elements.

#include <algorithm>

#include "hone/ops/movement/movement_tflite.h"
#include "hone/ops/op_def.h"

namespace hone {
namespace {

// Axes [first, last) of a tensor of `rank`; both ends count from the back if negative and are
// clamped.
struct AxisRange {
  size_t first;
  size_t last;
};

AxisRange axis_range(const NodeContext& in, int64_t rank) {
  const auto clamp = [&](int64_t axis) {
    return static_cast<size_t>(std::clamp(axis < 0 ? axis + rank : axis, int64_t{0}, rank));
  };
  const size_t first = clamp(in.integer("start"));
  const size_t last = in.has_attr("end") ? clamp(in.integer("end")) : static_cast<size_t>(rank);
  return {first, std::max(first, last)};
}

Shape extents(const NodeContext& in, const TensorType& type) {
  const AxisRange range = axis_range(in, type.rank());
  const auto begin = type.shape.begin();
  return {begin + static_cast<std::ptrdiff_t>(range.first),
          begin + static_cast<std::ptrdiff_t>(range.last)};
}

Result<std::vector<ValueType>> infer_shape(const InferContext& in) {
  const TensorType& type = in.type(0);
  if (!type.ranked) return std::vector<ValueType>{{DType::I64, {kUnknown}}};
  const AxisRange range = axis_range(in, type.rank());
  return std::vector<ValueType>{{DType::I64, {static_cast<int64_t>(range.last - range.first)}}};
}

std::optional<Tensor> fold_shape(const InferContext& in) {
  if (!in.type(0).ranked) return std::nullopt;
  const Shape shape = extents(in, in.type(0));
  if (std::ranges::count(shape, kUnknown) > 0) return std::nullopt;
  return Tensor::of_ints(shape);
}

Status eval_shape(EvalContext& in) {
  in.set(0, Tensor::of_ints(extents(in, in.in(0).type())));
  return Done{};
}

Result<std::vector<ValueType>> infer_size(const InferContext&) {
  return std::vector<ValueType>{{DType::I64, {}}};
}

std::optional<Tensor> fold_size(const InferContext& in) {
  if (!in.type(0).known()) return std::nullopt;
  return Tensor::scalar(in.type(0).elements());
}

Status eval_size(EvalContext& in) {
  in.set(0, Tensor::scalar(in.in(0).elements()));
  return Done{};
}

}  // namespace

extern const OpDef op_shape = {
    .name = "shape",
    .summary = "The extents of a tensor.",
    .inputs = {{"x", kEvery}},
    .attrs = {{"start", int64_t{0}}, {"end", int64_t{0}, kAbsent}},
    .quantized = true,
    .infer = infer_shape,
    .eval = eval_shape,
    .fold = fold_shape,
    .onnx = {{"Shape"}},
    .tflite = {{"SHAPE", import_shape}, {"RANK", import_rank}},
    .cases = {"(f32[2,3,5])"},
};

extern const OpDef op_size = {
    .name = "size",
    .summary = "The number of elements of a tensor.",
    .inputs = {{"x", kEvery}},
    .quantized = true,
    .infer = infer_size,
    .eval = eval_size,
    .fold = fold_size,
    .onnx = {{"Size"}},
    .cases = {"(f32[2,3,5])"},
};

}  // namespace hone
