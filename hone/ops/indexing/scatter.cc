// A copy of x in which updates replace, or are combined with, what stands at given places: the
// inverse of gather_elements and gather_nd. Updates to one place are applied in order.

#include "hone/ops/common.h"
#include "hone/ops/elementwise/arithmetic.h"
#include "hone/ops/indexing/blocks.h"
#include "hone/ops/indexing/indexing_tflite.h"

namespace hone {
namespace {

using Types = std::vector<ValueType>;

enum class Reduction { None, Add, Mul, Max, Min };

Result<Reduction> reduction_of(const NodeContext& in) {
  const std::string& name = in.text("reduction");
  if (name == "none") return Reduction::None;
  if (name == "add") return Reduction::Add;
  if (name == "mul") return Reduction::Mul;
  if (name == "max") return Reduction::Max;
  if (name == "min") return Reduction::Min;
  return unsupported("reduction '", name, "'");
}

template <class T>
T combine(Reduction reduction, const T& old, const T& update) {
  if constexpr (!std::is_same_v<T, std::string>) {
    switch (reduction) {
      case Reduction::None:
        break;
      case Reduction::Add:
        return add(old, update);
      case Reduction::Mul:
        return multiply(old, update);
      case Reduction::Max:
        return maximum(old, update);
      case Reduction::Min:
        return minimum(old, update);
    }
  }
  return update;
}

// y gets the i-th block of the updates at offsets[i].
void scatter_blocks(const Tensor& updates, const std::vector<int64_t>& offsets, int64_t block,
                    Reduction reduction, Tensor& y) {
  if (block == 0 || offsets.empty()) return;
  const auto apply = [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = raw<T>(updates);
    T* to = mutable_raw<T>(y);
    for (const int64_t offset : offsets) {
      for (int64_t i = 0; i < block; ++i) {
        to[offset + i] = combine(reduction, to[offset + i], *from++);
      }
    }
  };
  if (reduction == Reduction::None) {
    dispatch_by_size(y.dtype(), apply);
  } else {
    dispatch_numeric(y.dtype(), apply);
  }
}

Status check_reduction(const InferContext& in) {
  HONE_TRY(const Reduction reduction, reduction_of(in));
  const DType dtype = in.dtype(0);
  if (reduction != Reduction::None && dtype != DType::Undefined && !kNumeric.contains(dtype)) {
    return unsupported("reduction '", in.text("reduction"), "' of ", dtype);
  }
  return Done{};
}

bool may_match(int64_t a, int64_t b) {
  return a == b || a == kUnknown || b == kUnknown;
}

// --- scatter_elements

Result<Types> infer_elements_scatter(const InferContext& in) {
  HONE_RETURN_IF_ERROR(check_reduction(in));
  const TensorType& x = in.type(0);
  const TensorType& indices = in.type(1);
  const TensorType& updates = in.type(2);
  if (!x.ranked) return infer_same(in);
  HONE_TRY(const size_t axis, resolve_axis(in.integer("axis"), x.rank()));
  if (!indices.ranked || !updates.ranked) return infer_same(in);
  bool fits = indices.rank() == x.rank() && updates.rank() == x.rank();
  for (size_t i = 0; fits && i < x.shape.size(); ++i) {
    const bool inside = i == axis || x.shape[i] == kUnknown || indices.shape[i] <= x.shape[i];
    fits = inside && may_match(indices.shape[i], updates.shape[i]);
  }
  if (!fits) return bad_input("indices are ", indices, " and updates ", updates, " for ", x);
  return infer_same(in);
}

Status eval_elements_scatter(EvalContext& in) {
  HONE_TRY(const Reduction reduction, reduction_of(in));
  Tensor y = in.in(0).with_quantization(in.out_type().tensor.quant);
  HONE_TRY(const size_t axis, resolve_axis(in.integer("axis"), y.rank()));
  std::vector<int64_t> strides = strides_of(y.shape());
  const int64_t step = strides[axis];
  strides[axis] = 0;
  std::vector<int64_t> offsets = to_ints(in.in(1));
  auto offset = offsets.begin();
  for (IndexWalk walk(in.in(1).shape(), {strides}); !walk.done(); walk.next(), ++offset) {
    HONE_TRY(const int64_t position, resolve_index(*offset, y.shape()[axis]));
    *offset = walk.offset(0) + position * step;
  }
  scatter_blocks(in.in(2), offsets, 1, reduction, y);
  in.set(0, std::move(y));
  return Done{};
}

// --- scatter_nd

Result<Types> infer_nd_scatter(const InferContext& in) {
  HONE_RETURN_IF_ERROR(check_reduction(in));
  const TensorType& x = in.type(0);
  const TensorType& indices = in.type(1);
  const TensorType& updates = in.type(2);
  if (!x.ranked || !indices.ranked || !updates.ranked) return infer_same(in);
  if (indices.rank() < 1) return bad_input("indices are ", indices, ", expected rank 1 or more");
  const int64_t depth = indices.shape.back();
  if (depth == kUnknown) return infer_same(in);
  if (depth > x.rank()) return bad_input("indices are ", indices, ", expected places in ", x);
  Shape expected(indices.shape.begin(), indices.shape.end() - 1);
  expected.insert(expected.end(), x.shape.begin() + depth, x.shape.end());
  bool fits = expected.size() == updates.shape.size();
  for (size_t i = 0; fits && i < expected.size(); ++i) {
    fits = may_match(expected[i], updates.shape[i]);
  }
  if (!fits) return bad_input("updates are ", updates, ", expected shape ", text_of(expected));
  return infer_same(in);
}

Status eval_nd_scatter(EvalContext& in) {
  HONE_TRY(const Reduction reduction, reduction_of(in));
  Tensor y = in.in(0).with_quantization(in.out_type().tensor.quant);
  const auto depth = static_cast<size_t>(in.in(1).shape().back());
  const std::vector<int64_t> strides = strides_of(y.shape());
  const Ints indices = to_ints(in.in(1));
  const int64_t block = elements(std::span(y.shape()).subspan(depth));
  std::vector<int64_t> offsets;
  if (in.in(2).elements() > 0) {
    offsets.resize(static_cast<size_t>(in.in(2).elements() / block));
  }
  for (size_t i = 0; i < offsets.size(); ++i) {
    for (size_t d = 0; d < depth; ++d) {
      HONE_TRY(const int64_t position, resolve_index(indices[i * depth + d], y.shape()[d]));
      offsets[i] += position * strides[d];
    }
  }
  scatter_blocks(in.in(2), offsets, block, reduction, y);
  in.set(0, std::move(y));
  return Done{};
}

}  // namespace

extern const OpDef op_scatter_elements = {
    .name = "scatter_elements",
    .summary = "Elements put at places along an axis.",
    .inputs = {{"x", kAny, 'T'}, {"indices", kIndex}, {"updates", kAny, 'T'}},
    .attrs = {{"axis", int64_t{0}}, {"reduction", std::string("none")}},
    .infer = infer_elements_scatter,
    .eval = eval_elements_scatter,
    .onnx = {{"ScatterElements"}, {"Scatter"}},
    .cases = {"(f32[2,3], i64[1,2]{1 0}, f32[1,2])"},
};

extern const OpDef op_scatter_nd = {
    .name = "scatter_nd",
    .summary = "Slices put at places along several axes.",
    .inputs = {{"x", kAny, 'T'}, {"indices", kIndex}, {"updates", kAny, 'T'}},
    .attrs = {{"reduction", std::string("none")}},
    .infer = infer_nd_scatter,
    .eval = eval_nd_scatter,
    .onnx = {{"ScatterND"}},
    .tflite = {{"SCATTER_ND", import_scatter_nd}, {"SPARSE_TO_DENSE", import_sparse_to_dense}},
    .cases = {"(f32[4], i64[2,1]{1 3}, f32[2])"},
};

}  // namespace hone
