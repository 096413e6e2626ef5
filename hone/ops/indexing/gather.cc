// gather           y[a, i, b] = x[a, indices[i], b] around `axis`
// gather_elements  y[a, i, b] = x[a, indices[a, i, b], b] around `axis`
// gather_nd        y[a, i, b] = x[a, indices[a, i]..., b], where the last axis of the indices holds
//                  places along as many axes of x, and a are `batch_dims` axes that both share

#include "hone/ops/common.h"
#include "hone/ops/indexing/blocks.h"
#include "hone/ops/indexing/indexing_tflite.h"

namespace hone {
namespace {

using Types = std::vector<ValueType>;

// --- gather

Result<Types> infer_gather(const InferContext& in) {
  const TensorType& x = in.type(0);
  const TensorType& indices = in.type(1);
  if (!x.ranked || !indices.ranked) return Types{TensorType::unranked(x.dtype)};
  HONE_TRY(const size_t axis, resolve_axis(in.integer("axis"), x.rank()));
  TensorType type = plain(x);
  const auto at = type.shape.erase(type.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  type.shape.insert(at, indices.shape.begin(), indices.shape.end());
  return Types{type};
}

Status eval_gather(EvalContext& in) {
  const Tensor& x = in.in(0);
  HONE_TRY(const size_t axis, resolve_axis(in.integer("axis"), x.rank()));
  const AxisSplit split = split_at(x.shape(), axis);
  Ints positions = to_ints(in.in(1));
  for (int64_t& position : positions) {
    HONE_TRY(position, resolve_index(position, split.n));
  }
  if (in.out().elements() == 0) return Done{};
  gather_blocks(x, axis_offsets(x.shape(), axis, positions), split.inner, in.out());
  return Done{};
}

// --- gather_elements

Result<Types> infer_elements_gather(const InferContext& in) {
  const TensorType& x = in.type(0);
  const TensorType& indices = in.type(1);
  TensorType type = plain(indices);
  type.dtype = x.dtype;
  if (!x.ranked || !indices.ranked) return Types{type};
  HONE_TRY(const size_t axis, resolve_axis(in.integer("axis"), x.rank()));
  if (x.rank() != indices.rank()) return bad_input("indices are ", indices, " for ", x);
  for (size_t i = 0; i < x.shape.size(); ++i) {
    const bool known = x.shape[i] != kUnknown && indices.shape[i] != kUnknown;
    if (i != axis && known && indices.shape[i] > x.shape[i]) {
      return bad_input("indices are ", indices, ", which reaches beyond ", x);
    }
  }
  return Types{type};
}

Status eval_elements_gather(EvalContext& in) {
  const Tensor& x = in.in(0);
  HONE_TRY(const size_t axis, resolve_axis(in.integer("axis"), x.rank()));
  std::vector<int64_t> strides = strides_of(x.shape());
  const int64_t step = strides[axis];
  strides[axis] = 0;
  std::vector<int64_t> offsets = to_ints(in.in(1));
  auto offset = offsets.begin();
  for (IndexWalk walk(in.in(1).shape(), {strides}); !walk.done(); walk.next(), ++offset) {
    HONE_TRY(const int64_t position, resolve_index(*offset, x.shape()[axis]));
    *offset = walk.offset(0) + position * step;
  }
  gather_blocks(x, offsets, 1, in.out());
  return Done{};
}

// --- gather_nd

Result<Types> infer_nd_gather(const InferContext& in) {
  const TensorType& x = in.type(0);
  const TensorType& indices = in.type(1);
  const int64_t batch = in.integer("batch_dims");
  if (batch < 0) return bad_input("batch_dims is ", batch);
  if (!x.ranked || !indices.ranked) return Types{TensorType::unranked(x.dtype)};
  if (batch >= std::min(x.rank(), indices.rank())) {
    return bad_input("batch_dims is ", batch, " for ", x, " and indices ", indices);
  }
  const int64_t depth = indices.shape.back();
  if (depth == kUnknown) return Types{TensorType::unranked(x.dtype)};
  if (depth < 1 || depth > x.rank() - batch) {
    return bad_input("indices are ", indices, ", expected places in ", x);
  }
  for (size_t i = 0; i < static_cast<size_t>(batch); ++i) {
    const bool known = x.shape[i] != kUnknown && indices.shape[i] != kUnknown;
    if (known && x.shape[i] != indices.shape[i]) {
      return bad_input("indices are ", indices, " for ", x, " with ", batch, " shared axes");
    }
  }
  TensorType type{x.dtype, indices.shape};
  type.shape.pop_back();
  type.shape.insert(type.shape.end(), x.shape.begin() + batch + depth, x.shape.end());
  return Types{type};
}

Status eval_nd_gather(EvalContext& in) {
  const Tensor& x = in.in(0);
  if (in.out().elements() == 0) return Done{};
  const Shape& shape = in.in(1).shape();
  const auto batch = static_cast<size_t>(in.integer("batch_dims"));
  const auto depth = static_cast<size_t>(shape.back());
  const Ints indices = to_ints(in.in(1));
  const std::vector<int64_t> strides = strides_of(x.shape());
  const int64_t batches = elements(std::span(x.shape()).first(batch));
  const size_t count = indices.size() / depth;
  const size_t per_batch = count / static_cast<size_t>(batches);
  const int64_t batch_size = x.elements() / batches;
  std::vector<int64_t> offsets(count);
  for (size_t i = 0; i < count; ++i) {
    offsets[i] = static_cast<int64_t>(i / per_batch) * batch_size;
    for (size_t d = 0; d < depth; ++d) {
      HONE_TRY(const int64_t position, resolve_index(indices[i * depth + d], x.shape()[batch + d]));
      offsets[i] += position * strides[batch + d];
    }
  }
  gather_blocks(x, offsets, elements(std::span(x.shape()).subspan(batch + depth)), in.out());
  return Done{};
}

}  // namespace

extern const OpDef op_gather = {
    .name = "gather",
    .summary = "Positions along an axis.",
    .kind = OpKind::Movement,
    .integers = IntegerForm::SameScale,
    .inputs = {{"x", kAny}, {"indices", kIndex}},
    .attrs = {{"axis", int64_t{0}}},
    .quantized = true,
    .infer = infer_gather,
    .eval = eval_gather,
    .onnx = {{"Gather"}},
    .tflite = {{"GATHER", import_gather}, {"EMBEDDING_LOOKUP", import_embedding_lookup}},
    .cases = {"(f32[4,5], i64[2]{3 -1}) axis=1", "(f32[4,5], i32[2,2]{0 1 2 3})"},
};

extern const OpDef op_gather_elements = {
    .name = "gather_elements",
    .summary = "One element for every index, along an axis.",
    .inputs = {{"x", kAny}, {"indices", kIndex}},
    .attrs = {{"axis", int64_t{0}}},
    .quantized = true,
    .infer = infer_elements_gather,
    .eval = eval_elements_gather,
    .onnx = {{"GatherElements"}},
    .cases = {"(f32[2,3], i64[2,2]{0 2 1 0}) axis=1"},
};

extern const OpDef op_gather_nd = {
    .name = "gather_nd",
    .summary = "Slices at places along several axes.",
    .inputs = {{"x", kAny}, {"indices", kIndex}},
    .attrs = {{"batch_dims", int64_t{0}}},
    .quantized = true,
    .infer = infer_nd_gather,
    .eval = eval_nd_gather,
    .onnx = {{"GatherND"}},
    .tflite = {{"GATHER_ND", import_as<"gather_nd">}},
    .cases = {"(f32[2,3], i64[2,2]{0 2 1 0})"},
};

}  // namespace hone
