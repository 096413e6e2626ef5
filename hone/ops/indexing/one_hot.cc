// Along a new axis of extent `depth`: values[1] at the index, values[0] elsewhere. An index outside
// [-depth, depth) is nowhere.

#include <algorithm>

#include "hone/ops/common.h"
#include "hone/ops/elementwise/arithmetic.h"
#include "hone/ops/indexing/indexing_tflite.h"
#include "hone/ops/movement/movement.h"

namespace hone {
namespace {

Ints whole_numbers(const Tensor& tensor) {
  if (kInteger.contains(tensor.dtype())) return to_ints(tensor);
  Ints numbers;
  for (const double value : to_doubles(tensor)) numbers.push_back(saturate_to<int64_t>(value));
  return numbers;
}

Result<std::vector<ValueType>> infer_one_hot(const InferContext& in) {
  const TensorType& indices = in.type(0);
  const DType dtype = in.dtype(2);
  if (in.type(1).known() && in.type(1).elements() != 1) {
    return bad_input("depth is ", in.type(1), ", expected a scalar");
  }
  if (in.type(2).known() && in.type(2).elements() != 2) {
    return bad_input("values is ", in.type(2), ", expected two");
  }
  if (!indices.ranked) return std::vector<ValueType>{TensorType::unranked(dtype)};
  HONE_TRY(const size_t axis, resolve_axis(in.integer("axis"), indices.rank() + 1));
  int64_t depth = kUnknown;
  if (in.value(1) != nullptr) {
    depth = whole_numbers(*in.value(1))[0];
    if (depth < 0 || depth > kLargestExtent) return bad_input("depth is ", depth);
  }
  TensorType type{dtype, indices.shape};
  type.shape.insert(type.shape.begin() + static_cast<std::ptrdiff_t>(axis), depth);
  return std::vector<ValueType>{type};
}

Status eval_one_hot(EvalContext& in) {
  Tensor& y = in.out();
  if (y.elements() == 0) return Done{};
  HONE_TRY(const size_t axis, resolve_axis(in.integer("axis"), y.rank()));
  const AxisSplit split = split_at(y.shape(), axis);
  const Ints indices = whole_numbers(in.in(0));
  dispatch_by_size(y.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* values = raw<T>(in.in(2));
    T* to = mutable_raw<T>(y);
    std::fill_n(to, y.elements(), values[0]);
    for (size_t i = 0; i < indices.size(); ++i) {
      const int64_t index = indices[i] < 0 ? indices[i] + split.n : indices[i];
      if (index < 0 || index >= split.n) continue;
      const auto outer = static_cast<int64_t>(i) / split.inner;
      const auto inner = static_cast<int64_t>(i) % split.inner;
      to[(outer * split.n + index) * split.inner + inner] = values[1];
    }
  });
  return Done{};
}

}  // namespace

extern const OpDef op_one_hot = {
    .name = "one_hot",
    .summary = "Indices as vectors with one element set.",
    .inputs = {{"indices", kNumeric}, {"depth", kNumeric}, {"values", kAny}},
    .attrs = {{"axis", int64_t{-1}}},
    .infer = infer_one_hot,
    .eval = eval_one_hot,
    .onnx = {{"OneHot"}},
    .tflite = {{"ONE_HOT", import_one_hot}},
    .cases = {"(i64[3]{0 2 1}, i64[]{4}, f32[2]{0 1})"},
};

}  // namespace hone
