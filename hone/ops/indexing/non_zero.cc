// The indices of elements that are not zero, one column each, in row-major order.

#include "hone/ops/common.h"
#include "hone/ops/indexing/indexing_tflite.h"

namespace hone {
namespace {

Result<std::vector<ValueType>> infer_non_zero(const InferContext& in) {
  const int64_t rank = in.type(0).ranked ? in.type(0).rank() : kUnknown;
  return std::vector<ValueType>{{DType::I64, {rank, kUnknown}}};
}

Status eval_non_zero(EvalContext& in) {
  const std::vector<double> x = to_doubles(in.in(0));
  const auto rank = static_cast<size_t>(in.in(0).rank());
  std::vector<Ints> rows(rank);
  int64_t count = 0;
  size_t i = 0;
  for (IndexWalk walk(in.in(0).shape(), {}); !walk.done(); walk.next()) {
    if (x[i++] == 0) continue;
    ++count;
    for (size_t axis = 0; axis < rank; ++axis) rows[axis].push_back(walk.index()[axis]);
  }
  Ints all;
  for (const Ints& row : rows) all.insert(all.end(), row.begin(), row.end());
  in.set(0, Tensor::of<int64_t>({in.in(0).rank(), count}, all));
  return Done{};
}

}  // namespace

extern const OpDef op_non_zero = {
    .name = "non_zero",
    .summary = "Where a tensor is not zero.",
    .inputs = {{"x", kNumeric | kBoolean}},
    .infer = infer_non_zero,
    .eval = eval_non_zero,
    .onnx = {{"NonZero"}},
    .tflite = {{"WHERE", import_where}},
    .cases = {"(f32[2,3])"},
};

}  // namespace hone
