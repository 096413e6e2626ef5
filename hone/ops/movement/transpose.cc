// Axis i of y is axis perm[i] of x; without perm the axes are reversed.

#include <algorithm>
#include <numeric>

#include "hone/ops/movement/movement.h"
#include "hone/ops/movement/transpose_tflite.h"

namespace hone {
namespace {

Result<std::vector<size_t>> permutation(const NodeContext& in, int64_t rank) {
  std::vector<size_t> axes(static_cast<size_t>(rank));
  if (!in.has_attr("perm")) {
    std::iota(axes.rbegin(), axes.rend(), size_t{0});
    return axes;
  }
  const Ints& perm = in.ints("perm");
  Ints sorted = perm;
  std::ranges::sort(sorted);
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (perm.size() == axes.size() && sorted[i] == static_cast<int64_t>(i)) continue;
    return bad_input("perm [", join(perm), "] is no order of ", rank, " axes");
  }
  if (perm.size() != axes.size()) return bad_input("perm [] is no order of ", rank, " axes");
  for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<size_t>(perm[i]);
  return axes;
}

Result<std::vector<ValueType>> infer_transpose(const InferContext& in) {
  TensorType type = plain(in.type(0));
  if (!type.ranked) {
    if (!in.has_attr("perm")) return std::vector<ValueType>{type};
    HONE_TRY(type, type_of_rank(type.dtype, static_cast<int64_t>(in.ints("perm").size())));
    return std::vector<ValueType>{type};
  }
  HONE_TRY(const std::vector<size_t> axes, permutation(in, type.rank()));
  for (size_t i = 0; i < axes.size(); ++i) type.shape[i] = in.type(0).shape[axes[i]];
  return std::vector<ValueType>{type};
}

Status eval_transpose(EvalContext& in) {
  const Tensor& x = in.in(0);
  HONE_TRY(const std::vector<size_t> axes, permutation(in, x.rank()));
  const std::vector<int64_t> dense = strides_of(x.shape());
  std::vector<int64_t> strides;
  for (const size_t axis : axes) strides.push_back(dense[axis]);
  Tensor& y = in.out();
  const Shape shape = y.shape();
  copy_strided(x, 0, shape, std::move(strides), y);
  return Done{};
}

}  // namespace

extern const OpDef op_transpose = {
    .name = "transpose",
    .summary = "Axes in another order.",
    .kind = OpKind::Movement,
    .integers = IntegerForm::SameScale,
    .inputs = {{"x", kEvery}},
    .attrs = {{"perm", Ints(), kAbsent}},
    .quantized = true,
    .infer = infer_transpose,
    .eval = eval_transpose,
    .onnx = {{"Transpose"}},
    .tflite = {{"TRANSPOSE", import_transpose}},
    .cases = {"(f32[2,3,4]) perm=[2,0,1]", "(f32[1,3,5,4]) perm=[0,2,3,1]", "(i8[4,7])",
              "i8[3,2]<0.5:1> = (i8[2,3]<0.5:1>) perm=[1,0]"},
};

}  // namespace hone
