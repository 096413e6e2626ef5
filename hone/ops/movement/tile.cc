// tile repeats a tensor along its axes; expand broadcasts it to a shape.

#include "hone/ops/movement/movement.h"
#include "hone/ops/movement/movement_tflite.h"
#include "hone/ops/onnx_import.h"

namespace hone {
namespace {

Result<std::vector<ValueType>> infer_tile(const InferContext& in) {
  TensorType type = plain(in.type(0));
  if (!type.ranked) return std::vector<ValueType>{type};
  const auto repeats = in.known_ints(1);
  if (repeats && repeats->size() != type.shape.size()) {
    return bad_input(repeats->size(), " repeats for ", type);
  }
  for (size_t i = 0; i < type.shape.size(); ++i) {
    if (!repeats) type.shape[i] = kUnknown;
    if (!repeats || type.shape[i] == kUnknown) continue;
    if ((*repeats)[i] < 0 || __builtin_mul_overflow(type.shape[i], (*repeats)[i], &type.shape[i])) {
      return bad_input("axis ", i, " of ", in.type(0), " repeated ", (*repeats)[i], " times");
    }
  }
  return std::vector<ValueType>{type};
}

// Every axis of y is seen as two: the repeats, which do not move in x, and the axis of x.
Status eval_tile(EvalContext& in) {
  const Tensor& x = in.in(0);
  if (in.out().elements() == 0) return Done{};
  const Ints repeats = to_ints(in.in(1));
  const std::vector<int64_t> dense = strides_of(x.shape());
  Shape view;
  std::vector<int64_t> strides;
  for (size_t i = 0; i < dense.size(); ++i) {
    view.insert(view.end(), {repeats[i], x.shape()[i]});
    strides.insert(strides.end(), {0, dense[i]});
  }
  copy_strided(x, 0, view, std::move(strides), in.out());
  return Done{};
}

Status upgrade_tile(OnnxImport& in) {
  if (in.opset < 6) return unsupported("Tile of opset ", in.opset, ", which tiles one axis");
  return Done{};
}

Result<std::vector<ValueType>> infer_expand(const InferContext& in) {
  const TensorType& x = in.type(0);
  const auto wanted = in.known_ints(1);
  if (!wanted || !x.ranked) {
    return std::vector<ValueType>{TensorType::unranked(x.dtype)};
  }
  for (const int64_t extent : *wanted) {
    if (extent < 0) return bad_input("shape [", join(*wanted), "] holds ", extent);
  }
  TensorType type{x.dtype, {}};
  HONE_TRY(type.shape, broadcast(x.shape, *wanted));
  return std::vector<ValueType>{type};
}

Status eval_expand(EvalContext& in) {
  Tensor& y = in.out();
  const Shape shape = y.shape();
  copy_strided(in.in(0), 0, shape, broadcast_strides(in.in(0).shape(), shape), y);
  return Done{};
}

}  // namespace

extern const OpDef op_tile = {
    .name = "tile",
    .summary = "A tensor repeated along its axes.",
    .kind = OpKind::Movement,
    .integers = IntegerForm::SameScale,
    .inputs = {{"x", kAny}, {"repeats", DTypeSet{DType::I64}}},
    .quantized = true,
    .infer = infer_tile,
    .eval = eval_tile,
    .onnx = {{"Tile", upgrade_tile}},
    .tflite = {{"TILE", import_tile}},
    .cases = {"(f32[2,3], i64[2]{2 3})"},
};

extern const OpDef op_expand = {
    .name = "expand",
    .summary = "A tensor broadcast to a shape.",
    .kind = OpKind::Movement,
    .integers = IntegerForm::SameScale,
    .inputs = {{"x", kAny}, {"shape", DTypeSet{DType::I64}}},
    .quantized = true,
    .infer = infer_expand,
    .eval = eval_expand,
    .onnx = {{"Expand"}},
    .tflite = {{"BROADCAST_TO", import_broadcast_to}, {"FILL", import_fill}},
    .cases = {"(f32[3,1], i64[3]{2 3 4})"},
};

}  // namespace hone
