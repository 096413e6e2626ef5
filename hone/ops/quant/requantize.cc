// Between plain numbers and quantized ones, and between two quantizations:
//   f32 -> integer      round(x / scale) + zero point, ties away from zero, cut to the type
//   integer -> f32      scale * (q - zero point)
//   integer -> integer  (q - zero point) * (scale in / scale out), rounded by the rule of the
//                       target, + the new zero point, cut to the type
// followed by `activation`. TFLite's QUANTIZE, DEQUANTIZE and RELU family on integers.

#include "hone/ops/quant/requantize.h"

#include <cmath>

#include "hone/ops/quant/integer.h"
#include "hone/ops/quant/quant_tflite.h"

namespace hone {
namespace {

constexpr DTypeSet kStored = kQuantized | DTypeSet{DType::I32};
constexpr DTypeSet kTypes = kStored | DTypeSet{DType::F32};

Status check_side(const TensorType& type, std::string_view what) {
  if (type.dtype == DType::Undefined) return Done{};
  if (!kTypes.contains(type.dtype)) {
    return unsupported(what, " is ", type.dtype, ", expected one of ", kTypes);
  }
  if (type.quantized() == (type.dtype == DType::F32)) {
    return bad_input(what, " is ", type.dtype, type.quantized() ? " with" : " without",
                     " quantization parameters");
  }
  return Done{};
}

Result<std::vector<ValueType>> infer_requantize(const InferContext& in) {
  const TensorType& from = in.type(0);
  const TensorType& to = in.declared(0);
  HONE_RETURN_IF_ERROR(check_activation(in));
  HONE_RETURN_IF_ERROR(check_side(from, "the input"));
  if (to.dtype == DType::Undefined) return bad_input("the output has no element type");
  HONE_RETURN_IF_ERROR(check_side(to, "the output"));
  if (from.dtype != DType::Undefined && !from.quantized() && !to.quantized()) {
    return bad_input("neither the input nor the output is quantized");
  }
  const bool both = from.quantized() && to.quantized();
  if (both && !(from.quant->per_tensor() && to.quant->per_tensor())) {
    return unsupported("from one quantization to another, per channel");
  }
  if (to.quantized()) HONE_RETURN_IF_ERROR(activation_range(in.text("activation"), to));
  TensorType type = plain(from);
  type.dtype = to.dtype;
  return std::vector<ValueType>{type};
}

// Calls fn(i, channel) for every element, `channel` being its place along the quantized axis.
template <class Fn>
void for_each_channel(const Shape& shape, const Quantization& quant, Fn fn) {
  const AxisSplit split = quant.per_tensor() ? AxisSplit{1, 1, elements(shape)}
                                             : split_at(shape, static_cast<size_t>(quant.axis));
  size_t i = 0;
  for (int64_t o = 0; o < split.outer; ++o) {
    for (int64_t c = 0; c < split.n; ++c) {
      for (int64_t k = 0; k < split.inner; ++k) fn(i++, static_cast<size_t>(c));
    }
  }
}

template <class T>
void quantize(const Tensor& from, Tensor& to) {
  const auto x = from.data<float>();
  const auto y = to.mutable_data<T>();
  const Quantization& quant = *to.type().quant;
  const IntRange range = range_of(to.dtype());
  for_each_channel(from.shape(), quant, [&](size_t i, size_t c) {
    const float steps = std::round(x[i] / quant.scale(c));
    // The largest float below 2^31 is the limit: beyond it, and for NaN, C++ leaves the cast open.
    const float cut = std::isnan(steps) ? 0.0f : std::clamp(steps, -0x1p31f, 0x1.fffffep30f);
    y[i] = static_cast<T>(range.clamp(static_cast<int64_t>(cut) + quant.zero_point(c)));
  });
}

template <class T>
void dequantize(const Tensor& from, Tensor& to) {
  const auto x = from.data<T>();
  const auto y = to.mutable_data<float>();
  const Quantization& quant = *from.type().quant;
  for_each_channel(from.shape(), quant, [&](size_t i, size_t c) {
    const auto steps = static_cast<double>(int64_t{x[i]} - quant.zero_point(c));
    y[i] = static_cast<float>(double{quant.scale(c)} * steps);
  });
}

template <class From, class To>
void rescale(const Tensor& from, Tensor& to, Rounding rounding, ScaleRatio ratio) {
  const auto x = from.data<From>();
  const auto y = to.mutable_data<To>();
  const FixedPoint factor =
      fixed_point(ratio == ScaleRatio::Float ? double{scale_of(from) / scale_of(to)}
                                             : double{scale_of(from)} / double{scale_of(to)});
  const IntRange range = range_of(to.dtype());
  for (size_t i = 0; i < x.size(); ++i) {
    const int64_t steps = int64_t{x[i]} - zero_point_of(from);
    const int64_t scaled = scale_by(static_cast<int32_t>(steps), factor, rounding);
    y[i] = static_cast<To>(range.clamp(scaled + zero_point_of(to)));
  }
}

template <class Fn>
auto dispatch_stored(DType dtype, Fn&& fn) {
  return dispatch<int8_t, uint8_t, int16_t, int32_t>(dtype, std::forward<Fn>(fn));
}

Status eval_requantize(EvalContext& in) {
  const std::string& activation = in.text("activation");
  // Only a relu of TFLite has an activation here.
  const ScaleRatio ratio = activation.empty() ? ScaleRatio::Double : ScaleRatio::Float;
  Tensor y = requantized(in.in(0), in.out_type().tensor, in.options().rounding, ratio);
  if (!y.type().quantized()) {
    activate_all(y, in);
  } else if (!activation.empty()) {
    HONE_TRY(const IntRange range, activation_range(activation, y.type()));
    dispatch_stored(y.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      for (T& q : y.mutable_data<T>()) q = static_cast<T>(range.clamp(q));
    });
  }
  in.set(0, std::move(y));
  return Done{};
}

}  // namespace

Tensor requantized(const Tensor& from, TensorType to_type, Rounding rounding, ScaleRatio ratio) {
  Tensor to(std::move(to_type));
  if (!to.type().quantized()) {
    dispatch_stored(from.dtype(),
                    [&](auto tag) { dequantize<typename decltype(tag)::type>(from, to); });
    return to;
  }
  dispatch_stored(to.dtype(), [&](auto to_tag) {
    using To = typename decltype(to_tag)::type;
    if (!from.type().quantized()) return quantize<To>(from, to);
    dispatch_stored(from.dtype(), [&](auto from_tag) {
      rescale<typename decltype(from_tag)::type, To>(from, to, rounding, ratio);
    });
  });
  return to;
}

extern const OpDef op_requantize = {
    .name = "requantize",
    .summary = "Values brought to the output's quantization, or to float.",
    .kind = OpKind::Conversion,
    .inputs = {{"x", kTypes}},
    .attrs = {activation_attr(), activation_params_attr()},
    .quantized = true,
    .infer = infer_requantize,
    .cost = cost_per_element<1>,
    .eval = eval_requantize,
    .tflite = {{"QUANTIZE", import_quantize}, {"DEQUANTIZE", import_dequantize}},
    .cases = {"i8[2,8]<0.25:3> = (i8[2,8]<0.5:-1>)", "f32[2,8] = (u8[2,8]<0.5:7>)",
              "i8[2,8]<0.1:3> = (f32[2,8])"},
};

}  // namespace hone
