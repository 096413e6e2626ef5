// conv_integer: a convolution of 8-bit integers less their zero points, in int32.
// qlinear_conv: the same, plus an int32 bias, then
//     y = saturate(round((sum + b[o]) * (x_scale * w_scale[o] / y_scale)) + y_zero_point).
// The zero point and scale of the weights are one number, or one per output channel.

#include "hone/ops/common.h"
#include "hone/ops/conv/convolve.h"
#include "hone/ops/op_def.h"
#include "hone/ops/quant/centered.h"
#include "hone/ops/quant/rounding.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

constexpr DTypeSet kBytes{DType::I8, DType::U8};

// A scale or zero point: one element, or with `channels` one per output channel.
Status check_parameter(const InferContext& in, size_t input, int64_t channels) {
  if (!in.has(input) || !in.type(input).ranked) return Done{};
  const Shape& shape = in.type(input).shape;
  if (shape.empty()) return Done{};
  const bool fits =
      shape.size() == 1 && (shape[0] == 1 || shape[0] == kUnknown ||
                            (channels != 1 && (shape[0] == channels || channels == kUnknown)));
  if (fits) return Done{};
  return bad_input(in.op().inputs[input].name, " is of shape ", text_of(shape), ", expected ",
                   channels == 1 ? "a scalar" : "a scalar or one number per output channel");
}

int64_t out_channels(const InferContext& in, size_t w) {
  const TensorType& type = in.type(w);
  return type.ranked && !type.shape.empty() ? type.shape[0] : kUnknown;
}

// Zero points of the weights, seen along the first axis of w.
std::vector<uint32_t> centered_weights(const Tensor& w, const Tensor* zero_points) {
  Shape shape(w.shape().size(), 1);
  if (zero_points != nullptr) shape[0] = zero_points->elements();
  return centered(w, zero_points, shape);
}

Cost cost_of(const InferContext& in, size_t w) {
  if (!in.type(0).ranked || !in.type(w).ranked) return {};
  const auto conv = conv_geometry(in, in.type(0).shape, in.type(w).shape);
  if (!conv.ok() || !conv->known()) return {};
  return {.macs = conv->macs(), .flops = 0};
}

std::vector<AttrDef> conv_attrs() {
  return {{"auto_pad", std::string("NOTSET")},
          {"dilations", Ints{}},
          {"group", int64_t{1}},
          {"kernel_shape", Ints{}},
          {"pads", Ints{}},
          {"strides", Ints{}},
          layout_attr()};
}

namespace plain_integer {

constexpr size_t kWeights = 1, kXZero = 2, kWZero = 3, kNoBias = 9;

Result<std::vector<ValueType>> infer(const InferContext& in) {
  HONE_RETURN_IF_ERROR(check_parameter(in, kXZero, 1));
  HONE_RETURN_IF_ERROR(check_parameter(in, kWZero, out_channels(in, kWeights)));
  HONE_TRY(const TensorType type, conv_type(in, conv_geometry, DType::I32, 0, kWeights, kNoBias));
  return std::vector<ValueType>{type};
}

Cost cost(const InferContext& in) {
  return cost_of(in, kWeights);
}

Status eval(EvalContext& in) {
  HONE_TRY(const ConvGeometry conv, conv_geometry(in, in.in(0).shape(), in.in(kWeights).shape()));
  const auto x = centered(in.in(0), in.has(kXZero) ? &in.in(kXZero) : nullptr, {});
  const auto w = centered_weights(in.in(kWeights), in.has(kWZero) ? &in.in(kWZero) : nullptr);
  convolve(conv, x.data(), w.data(), mutable_raw<uint32_t>(in.out()));
  return Done{};
}

}  // namespace plain_integer

namespace qlinear {

constexpr size_t kXScale = 1, kXZero = 2, kWeights = 3, kWScale = 4, kWZero = 5, kYScale = 6,
                 kYZero = 7, kBias = 8;

Result<std::vector<ValueType>> infer(const InferContext& in) {
  const int64_t channels = out_channels(in, kWeights);
  for (const size_t input : {kXScale, kXZero, kYScale, kYZero}) {
    HONE_RETURN_IF_ERROR(check_parameter(in, input, 1));
  }
  HONE_RETURN_IF_ERROR(check_parameter(in, kWScale, channels));
  HONE_RETURN_IF_ERROR(check_parameter(in, kWZero, channels));
  HONE_TRY(const TensorType type,
           conv_type(in, conv_geometry, in.dtype(kYZero), 0, kWeights, kBias));
  return std::vector<ValueType>{type};
}

Cost cost(const InferContext& in) {
  return cost_of(in, kWeights);
}

template <class T>
void requantize(EvalContext& in, const ConvGeometry& conv, const std::vector<uint32_t>& sums) {
  const float x_scale = in.in(kXScale).data<float>()[0];
  const float y_scale = in.in(kYScale).data<float>()[0];
  const auto w_scales = in.in(kWScale).data<float>();
  const int64_t zero_point = to_ints(in.in(kYZero))[0];
  const auto y = in.out().mutable_data<T>();
  const auto pixels = static_cast<size_t>(conv.window.out_pixels());
  const auto channels = static_cast<size_t>(conv.out_channels);
  for (size_t i = 0; i < sums.size(); ++i) {
    const size_t channel = (conv.nhwc ? i : i / pixels) % channels;
    const float scale = x_scale * w_scales[w_scales.size() == 1 ? 0 : channel] / y_scale;
    const auto sum = static_cast<float>(static_cast<int32_t>(sums[i]));
    y[i] = round_and_saturate<T>(sum * scale, zero_point);
  }
}

Status eval(EvalContext& in) {
  HONE_TRY(const ConvGeometry conv, conv_geometry(in, in.in(0).shape(), in.in(kWeights).shape()));
  const auto x = centered(in.in(0), &in.in(kXZero), {});
  const auto w = centered_weights(in.in(kWeights), &in.in(kWZero));
  std::vector<uint32_t> sums(static_cast<size_t>(in.out().elements()));
  if (in.has(kBias)) fill_bias(conv, raw<uint32_t>(in.in(kBias)), sums.data());
  convolve(conv, x.data(), w.data(), sums.data());
  dispatch<int8_t, uint8_t>(in.in(kYZero).dtype(), [&](auto tag) {
    requantize<typename decltype(tag)::type>(in, conv, sums);
  });
  return Done{};
}

}  // namespace qlinear
}  // namespace

extern const OpDef op_conv_integer = {
    .name = "conv_integer",
    .summary = "Convolution of 8-bit integers with an int32 result.",
    .inputs = {{"x", kBytes, 'X'},
               {"w", kBytes, 'W'},
               {"x_zero_point", kBytes, 'X', kOptional},
               {"w_zero_point", kBytes, 'W', kOptional}},
    .attrs = conv_attrs(),
    .infer = plain_integer::infer,
    .cost = plain_integer::cost,
    .eval = plain_integer::eval,
    .onnx = {{"ConvInteger"}},
    .cases = {"(u8[1,2,4,4], const u8[3,2,3,3], u8[]{3})"},
};

extern const OpDef op_qlinear_conv = {
    .name = "qlinear_conv",
    .summary = "Convolution of 8-bit integers, rescaled to 8 bits.",
    .inputs = {{"x", kBytes, 'X'},
               {"x_scale", DTypeSet{DType::F32}},
               {"x_zero_point", kBytes, 'X'},
               {"w", kBytes, 'W'},
               {"w_scale", DTypeSet{DType::F32}},
               {"w_zero_point", kBytes, 'W'},
               {"y_scale", DTypeSet{DType::F32}},
               {"y_zero_point", kBytes},
               {"b", DTypeSet{DType::I32}, 0, kOptional}},
    .attrs = conv_attrs(),
    .infer = qlinear::infer,
    .cost = qlinear::cost,
    .eval = qlinear::eval,
    .onnx = {{"QLinearConv"}},
    .cases = {"(u8[1,1,4,4], f32[]{0.1}, u8[]{3}, const i8[2,1,3,3], f32[]{0.05}, i8[]{0}, "
              "f32[]{0.5}, u8[]{128})"},
};

}  // namespace hone
