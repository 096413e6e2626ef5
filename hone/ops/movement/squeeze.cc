// squeeze takes axes of extent 1 away, unsqueeze puts them in.

#include <algorithm>

#include "hone/ops/movement/movement.h"
#include "hone/ops/movement/reshape_tflite.h"
#include "hone/ops/onnx_import.h"

namespace hone {
namespace {

// How many axes the input names; kUnknown when its type does not tell.
Result<int64_t> axes_count(const TensorType& axes) {
  if (!axes.ranked) return kUnknown;
  if (axes.rank() > 1) return bad_input("axes is ", axes, ", expected one axis");
  return axes.rank() == 0 ? 1 : axes.shape[0];
}

bool named(const std::vector<size_t>& axes, size_t axis) {
  return std::ranges::binary_search(axes, axis);
}

Result<TensorType> squeeze_ones(const TensorType& x) {
  if (std::ranges::count(x.shape, kUnknown) > 0) return TensorType::unranked(x.dtype);
  TensorType type = plain(x);
  std::erase(type.shape, 1);
  return type;
}

Result<TensorType> squeezed(const InferContext& in) {
  const TensorType& x = in.type(0);
  if (!x.ranked) return TensorType::unranked(x.dtype);
  if (!in.has(1)) return squeeze_ones(x);
  const auto axes = in.known_ints(1);
  if (!axes) {
    HONE_TRY(const int64_t count, axes_count(in.type(1)));
    if (count == kUnknown) return TensorType::unranked(x.dtype);
    if (count > x.rank()) return bad_input("squeezes ", count, " axes of ", x);
    return type_of_rank(x.dtype, x.rank() - count);
  }
  HONE_TRY(const std::vector<size_t> resolved, resolve_axes(*axes, x.rank()));
  TensorType type{x.dtype, {}};
  for (size_t i = 0; i < x.shape.size(); ++i) {
    if (!named(resolved, i)) {
      type.shape.push_back(x.shape[i]);
    } else if (x.shape[i] != 1 && x.shape[i] != kUnknown) {
      return bad_input("axis ", i, " of ", x, " does not have extent 1");
    }
  }
  return type;
}

Result<std::vector<ValueType>> infer_squeeze(const InferContext& in) {
  HONE_TRY(const TensorType type, squeezed(in));
  return std::vector<ValueType>{type};
}

Result<std::vector<ValueType>> infer_unsqueeze(const InferContext& in) {
  const TensorType& x = in.type(0);
  HONE_TRY(const int64_t count, axes_count(in.type(1)));
  if (!x.ranked || count == kUnknown) {
    return std::vector<ValueType>{TensorType::unranked(x.dtype)};
  }
  HONE_TRY(TensorType type, type_of_rank(x.dtype, x.rank() + count));
  const auto axes = in.known_ints(1);
  if (!axes) return std::vector<ValueType>{type};
  HONE_TRY(const std::vector<size_t> resolved, resolve_axes(*axes, type.rank()));
  auto extent = x.shape.begin();
  for (size_t i = 0; i < type.shape.size(); ++i) type.shape[i] = named(resolved, i) ? 1 : *extent++;
  return std::vector<ValueType>{type};
}

Status upgrade_squeeze(OnnxImport& in) {
  if (in.opset < 13) in.attr_to_input("axes", 1);
  return Done{};
}

}  // namespace

extern const OpDef op_squeeze = {
    .name = "squeeze",
    .summary = "Takes axes of extent 1 away.",
    .kind = OpKind::View,
    .integers = IntegerForm::SameScale,
    .inputs = {{"x", kEvery}, {"axes", DTypeSet{DType::I64}, 0, kOptional}},
    .quantized = true,
    .infer = infer_squeeze,
    .eval = eval_reshaped,
    .onnx = {{"Squeeze", upgrade_squeeze}},
    .tflite = {{"SQUEEZE", import_squeeze}},
    .cases = {"(f32[2,1,3,1], i64[1]{1})", "(f32[1,3,1])"},
};

extern const OpDef op_unsqueeze = {
    .name = "unsqueeze",
    .summary = "Puts axes of extent 1 in.",
    .kind = OpKind::View,
    .integers = IntegerForm::SameScale,
    .inputs = {{"x", kEvery}, {"axes", DTypeSet{DType::I64}}},
    .quantized = true,
    .infer = infer_unsqueeze,
    .eval = eval_reshaped,
    .onnx = {{"Unsqueeze", upgrade_squeeze}},
    .tflite = {{"EXPAND_DIMS", import_expand_dims}},
    .cases = {"(f32[2,3], i64[2]{0 2})"},
};

}  // namespace hone
