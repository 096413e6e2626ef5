// Cuts a tensor along an axis: into the sizes that `split` lists, into pieces of `split` if it is a
// scalar (the last may be smaller), else into pieces of 1, whose axis goes away unless `keepdims`.

#include <algorithm>

#include "hone/ops/common.h"
#include "hone/ops/op_def.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

Result<std::vector<ValueType>> infer_split_to_sequence(const InferContext& in) {
  TensorType type = plain(in.type(0));
  if (type.ranked) {
    HONE_TRY(const size_t axis, resolve_axis(in.integer("axis"), type.rank()));
    if (in.has(1) || in.integer("keepdims") != 0) {
      type.shape[axis] = kUnknown;
    } else {
      type.shape.erase(type.shape.begin() + static_cast<std::ptrdiff_t>(axis));
    }
  }
  return std::vector<ValueType>{ValueType::sequence_of(std::move(type))};
}

Result<Ints> sizes_of(const EvalContext& in, int64_t extent) {
  int64_t size = 1;
  if (in.has(1)) {
    const Ints split = to_ints(in.in(1));
    if (in.in(1).rank() > 1)
      return bad_input("split is ", in.in(1).type(), ", expected rank 0 or 1");
    if (in.in(1).rank() == 1) {
      int64_t sum = 0;
      for (const int64_t part : split) {
        if (part < 0 || part > extent)
          return bad_input("split has a part of ", part, " of ", extent);
        sum = std::min(sum + part, extent + 1);
      }
      if (sum != extent) return bad_input("the parts [", join(split), "] do not make up ", extent);
      return split;
    }
    size = split[0];
    if (size < 1) return bad_input("split is ", size, ", expected 1 or more");
  }
  Ints sizes;
  for (int64_t left = extent; left > 0; left -= sizes.back()) sizes.push_back(std::min(left, size));
  return sizes;
}

// `count` indices along `axis` from `first` on.
Tensor cut(const Tensor& x, size_t axis, int64_t first, int64_t count) {
  const AxisSplit split = split_at(x.shape(), axis);
  TensorType type = plain(x.type());
  type.shape[axis] = count;
  Tensor piece(std::move(type));
  dispatch_by_size(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = raw<T>(x) + first * split.inner;
    T* to = mutable_raw<T>(piece);
    const int64_t line = count * split.inner;
    for (int64_t o = 0; o < split.outer; ++o) {
      std::copy_n(from + o * split.n * split.inner, line, to + o * line);
    }
  });
  return piece;
}

Status eval_split_to_sequence(EvalContext& in) {
  const Tensor& x = in.in(0);
  HONE_TRY(const size_t axis, resolve_axis(in.integer("axis"), x.rank()));
  HONE_TRY(const Ints sizes, sizes_of(in, x.shape()[axis]));
  const bool squeeze = !in.has(1) && in.integer("keepdims") == 0;
  std::vector<Tensor> pieces;
  int64_t first = 0;
  for (const int64_t size : sizes) {
    Tensor piece = cut(x, axis, first, size);
    if (squeeze) {
      Shape shape = piece.shape();
      shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
      piece = piece.reshaped(std::move(shape));
    }
    pieces.push_back(std::move(piece));
    first += size;
  }
  in.set(0, std::move(pieces));
  return Done{};
}

}  // namespace

extern const OpDef op_split_to_sequence = {
    .name = "split_to_sequence",
    .summary = "A tensor cut along an axis into a sequence.",
    .inputs = {{"x", kAny}, {"split", kIndex, 0, kOptional}},
    .attrs = {{"axis", int64_t{0}}, {"keepdims", int64_t{1}}},
    .infer = infer_split_to_sequence,
    .eval = eval_split_to_sequence,
    .onnx = {{"SplitToSequence"}},
    .cases = {"(f32[4,3])"},
};

}  // namespace hone
