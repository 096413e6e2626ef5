// The positions along `axis` for which the condition holds; without axis, of x as one line.

#include "hone/ops/common.h"
#include "hone/ops/indexing/blocks.h"

namespace hone {
namespace {

Result<std::vector<ValueType>> infer_compress(const InferContext& in) {
  TensorType type = plain(in.type(0));
  if (in.type(1).ranked && in.type(1).rank() != 1) {
    return bad_input("the condition is ", in.type(1), ", expected one axis");
  }
  if (!in.has_attr("axis")) return std::vector<ValueType>{{type.dtype, {kUnknown}}};
  if (!type.ranked) return std::vector<ValueType>{type};
  HONE_TRY(const size_t axis, resolve_axis(in.integer("axis"), type.rank()));
  type.shape[axis] = kUnknown;
  return std::vector<ValueType>{type};
}

Status eval_compress(EvalContext& in) {
  const Tensor x = in.has_attr("axis") ? in.in(0) : in.in(0).reshaped({in.in(0).elements()});
  size_t axis = 0;
  if (in.has_attr("axis")) {
    HONE_TRY(axis, resolve_axis(in.integer("axis"), x.rank()));
  }
  const auto condition = in.in(1).data<bool>();
  Ints positions;
  for (size_t i = 0; i < condition.size(); ++i) {
    if (condition[i]) positions.push_back(static_cast<int64_t>(i));
  }
  if (!positions.empty() && positions.back() >= x.shape()[axis]) {
    return bad_input("the condition reaches beyond ", x.shape()[axis], " positions");
  }
  TensorType type{x.dtype(), x.shape(), in.out_type().tensor.quant};
  type.shape[axis] = static_cast<int64_t>(positions.size());
  Tensor y(type);
  if (y.elements() > 0) {
    const AxisSplit split = split_at(x.shape(), axis);
    gather_blocks(x, axis_offsets(x.shape(), axis, positions), split.inner, y);
  }
  in.set(0, std::move(y));
  return Done{};
}

}  // namespace

extern const OpDef op_compress = {
    .name = "compress",
    .summary = "Positions along an axis chosen by a condition.",
    .inputs = {{"x", kAny}, {"condition", kBoolean}},
    .attrs = {{"axis", int64_t{0}, kAbsent}},
    .infer = infer_compress,
    .eval = eval_compress,
    .onnx = {{"Compress"}},
    .cases = {"(f32[3,2], bool[3]{true false true}) axis=0"},
};

}  // namespace hone
