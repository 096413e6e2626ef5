// x as a matrix: [product of the extents before `axis`, product of the rest].

#include "hone/ops/movement/movement.h"

namespace hone {
namespace {

int64_t product(std::span<const int64_t> extents) {
  for (const int64_t extent : extents) {
    if (extent == kUnknown) return kUnknown;
  }
  return elements(extents);
}

Result<std::vector<ValueType>> infer_movement_flatten(const InferContext& in) {
  const TensorType& x = in.type(0);
  if (!x.ranked) return std::vector<ValueType>{{x.dtype, {kUnknown, kUnknown}}};
  const int64_t axis = in.integer("axis");
  if (axis < -x.rank() || axis > x.rank()) {
    return bad_input("axis ", axis, " is outside a tensor of rank ", x.rank());
  }
  const auto split = static_cast<size_t>(axis < 0 ? axis + x.rank() : axis);
  const std::span<const int64_t> shape = x.shape;
  return std::vector<ValueType>{
      {x.dtype, {product(shape.first(split)), product(shape.subspan(split))}}};
}

}  // namespace

extern const OpDef op_flatten = {
    .name = "flatten",
    .summary = "The same elements as a matrix.",
    .kind = OpKind::View,
    .integers = IntegerForm::SameScale,
    .inputs = {{"x", kEvery}},
    .attrs = {{"axis", int64_t{1}}},
    .quantized = true,
    .infer = infer_movement_flatten,
    .eval = eval_reshaped,
    .onnx = {{"Flatten"}},
    .cases = {"(f32[2,3,4])", "(f32[2,3,4]) axis=2"},
};

}  // namespace hone
