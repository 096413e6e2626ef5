// Tensors one after the other along `axis`; their other extents agree.

#include <algorithm>
#include <cmath>

#include "hone/ops/elementwise/arithmetic.h"
#include "hone/ops/movement/movement.h"
#include "hone/ops/movement/movement_tflite.h"
#include "hone/ops/onnx_import.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

// Adds the extents of `x` to what is known of the result.
Status join_shape(const TensorType& x, size_t axis, Shape& shape) {
  if (x.shape.size() != shape.size()) {
    return bad_input("an input is ", x, ", expected rank ", shape.size());
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i == axis) {
      const bool open = shape[i] == kUnknown || x.shape[i] == kUnknown;
      shape[i] = open ? kUnknown : shape[i] + x.shape[i];
    } else if (shape[i] == kUnknown) {
      shape[i] = x.shape[i];
    } else if (x.shape[i] != shape[i] && x.shape[i] != kUnknown) {
      return bad_input("an input is ", x, ", expected extent ", shape[i], " along axis ", i);
    }
  }
  // So that no number of inputs makes the sum overflow.
  return TensorType{x.dtype, shape}.check();
}

Result<std::vector<ValueType>> infer_concat(const InferContext& in) {
  TensorType type = plain(in.type(0));
  for (size_t i = 0; i < in.inputs(); ++i) {
    if (!in.type(i).ranked) return std::vector<ValueType>{TensorType::unranked(type.dtype)};
  }
  HONE_TRY(const size_t axis, resolve_axis(in.integer("axis"), type.rank()));
  for (size_t i = 1; i < in.inputs(); ++i) {
    HONE_RETURN_IF_ERROR(join_shape(in.type(i), axis, type.shape));
  }
  return std::vector<ValueType>{type};
}

bool is_scaled(const TensorType& from, const TensorType& to) {
  return from.quantized() && to.quantized() && *from.quant != *to.quant;
}

// TFLite joins uint8 of different scales, in single precision; int8 and int16 it does not.
Status check_scales(const EvalContext& in, const TensorType& y) {
  for (size_t i = 0; i < in.inputs(); ++i) {
    const TensorType& x = in.in(i).type();
    if (!is_scaled(x, y)) continue;
    if (y.dtype != DType::U8 || !x.quant->per_tensor() || !y.quant->per_tensor()) {
      return unsupported("inputs of ", y.dtype, " whose quantization differs from the output's");
    }
  }
  return Done{};
}

Tensor rescaled(const Tensor& x, const TensorType& to) {
  Tensor y = x.with_quantization(to.quant);
  const float scale = x.type().quant->scale() * (1.0f / to.quant->scale());
  const float bias = static_cast<float>(-int64_t{x.type().quant->zero_point()}) * scale;
  for (uint8_t& q : y.mutable_data<uint8_t>()) {
    const float steps = std::round(static_cast<float>(q) * scale + bias);
    const int64_t cut = saturate_to<int32_t>(double{steps});
    q = static_cast<uint8_t>(std::clamp(cut + to.quant->zero_point(), int64_t{0}, int64_t{255}));
  }
  return y;
}

Status eval_concat(EvalContext& in) {
  Tensor& y = in.out();
  HONE_RETURN_IF_ERROR(check_scales(in, y.type()));
  if (y.elements() == 0) return Done{};
  HONE_TRY(const size_t axis, resolve_axis(in.integer("axis"), y.rank()));
  const AxisSplit split = split_at(y.shape(), axis);
  dispatch_by_size(y.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* to = mutable_raw<T>(y);
    for (size_t i = 0; i < in.inputs(); ++i) {
      const bool scaled = is_scaled(in.in(i).type(), y.type());
      const Tensor x = scaled ? rescaled(in.in(i), y.type()) : in.in(i);
      const int64_t row = x.shape()[axis] * split.inner;
      const T* from = raw<T>(x);
      for (int64_t o = 0; o < split.outer; ++o) {
        std::copy_n(from + o * row, row, to + o * split.n * split.inner);
      }
      to += row;
    }
  });
  return Done{};
}

// The axis had a default of 1 before opset 4.
Status upgrade_concat(OnnxImport& in) {
  if (in.opset < 4) in.attrs.try_emplace("axis", int64_t{1});
  return Done{};
}

}  // namespace

extern const OpDef op_concat = {
    .name = "concat",
    .summary = "Tensors joined along an axis.",
    .kind = OpKind::Movement,
    .integers = IntegerForm::Joined,
    .inputs = {{"x", kAny, 'T', kVariadic}},
    .attrs = {{"axis", int64_t{0}, kRequired}},
    .quantized = true,
    .infer = infer_concat,
    .eval = eval_concat,
    .onnx = {{"Concat", upgrade_concat}},
    .tflite = {{"CONCATENATION", import_concatenation}, {"PACK", import_pack}},
    .cases = {"(f32[2,3], f32[2,5]) axis=1", "(f32[1,4,4,3], f32[1,4,4,5]) axis=-1",
              "(i64[2,2], i64[1,2]) axis=0",
              "i8[2,5]<0.5:3> = (i8[2,3]<0.5:3>, i8[2,2]<0.5:3>) axis=1"},
};

}  // namespace hone
