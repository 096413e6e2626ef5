// TFLite's convolutions are nhwc, with weights [output channels, spatial..., input channels], but
// depthwise ones [1, height, width, output channels].

#include "hone/ops/conv/conv_tflite.h"

#include <cstring>

#include "hone/ops/movement/transpose_tflite.h"
#include "hone/ops/tflite_import.h"

namespace hone {
namespace {

Status check_rank(const TensorType& type, std::string_view what, int64_t rank) {
  if (type.ranked && type.rank() == rank) return Done{};
  return bad_input(what, " is ", type, ", expected rank ", rank);
}

// Padding, strides, dilations, activation and layout.
Result<Attrs> common_attrs(const TfliteImport& in, const std::vector<std::string>& axes) {
  HONE_TRY(std::string activation, in.activation());
  Ints strides;
  Ints dilations;
  for (const std::string& axis : axes) {
    strides.push_back(in.option<int64_t>("stride_" + axis, 1));
    dilations.push_back(in.option<int64_t>("dilation_" + axis + "_factor", 1));
  }
  const bool same = in.option<std::string>("padding", "SAME") == "SAME";
  return Attrs{{"activation", std::move(activation)},
               {"auto_pad", std::string(same ? "SAME_UPPER" : "VALID")},
               {"dilations", std::move(dilations)},
               {"layout", std::string("nhwc")},
               {"strides", std::move(strides)}};
}

Result<int64_t> channels_of(const TensorType& image) {
  if (image.shape.back() > 0) return image.shape.back();
  return unsupported("the number of channels of ", image, " is not known");
}

// An int16 convolution sums in the width of its bias; where TFLite always takes 64 bits, one is
// added.
Value* bias_or_wide_zeros(TfliteImport& in, Value* bias, DType dtype, int64_t channels) {
  if (bias != nullptr || dtype != DType::I16) return bias;
  return in.add_constant(Tensor(TensorType{DType::I64, {channels}}));
}

std::vector<Value*> operands(Value* x, Value* w, Value* bias) {
  if (bias == nullptr) return {x, w};
  return {x, w, bias};
}

Status import_conv(TfliteImport& in, const std::vector<std::string>& axes, Value* weights) {
  const int64_t rank = static_cast<int64_t>(axes.size()) + 2;
  HONE_TRY(Attrs attrs, common_attrs(in, axes));
  HONE_TRY(const int64_t channels, channels_of(in.in_type(0)));
  const TensorType& w = weights->type.tensor;
  HONE_RETURN_IF_ERROR(check_rank(w, "the weights", rank));
  HONE_TRY(const int64_t group_channels, channels_of(w));
  if (channels % group_channels != 0) {
    return bad_input(channels, " channels do not divide into groups of ", group_channels);
  }
  attrs["group"] = channels / group_channels;
  in.finish("conv", operands(in.in(0), weights, in.in_or_null(2)), std::move(attrs));
  return Done{};
}

// `size` is the whole shape of the output. TFLite derives the padding from it as if it were the
// input of a convolution, the smaller half in front.
Status add_transpose_conv(TfliteImport& in, Value* x, Value* weights, Value* bias, Attrs attrs,
                          const Shape& size) {
  const bool same = std::get<std::string>(attrs["auto_pad"]) == "SAME_UPPER";
  attrs.erase("auto_pad");
  attrs.erase("dilations");
  const Ints strides = std::get<Ints>(attrs["strides"]);
  Ints pads(4);
  Ints extra(2);
  for (size_t i = 0; i < 2; ++i) {
    const int64_t input = x->type.tensor.shape[i + 1];
    const int64_t kernel = weights->type.tensor.shape[i + 1];
    const int64_t output = size[i + 1];
    constexpr int64_t kLargest = int64_t{1} << 30;
    for (const int64_t extent : {input, kernel, output, strides[i]}) {
      if (extent < 1 || extent > kLargest) return unsupported("an extent of ", extent);
    }
    // What the scattered kernels cover, and how much of it lies outside the output.
    const int64_t reach = (input - 1) * strides[i] + kernel;
    const int64_t windows =
        same ? (output + strides[i] - 1) / strides[i] : (output - kernel) / strides[i] + 1;
    const int64_t padding = std::max((windows - 1) * strides[i] + kernel - output, int64_t{0});
    pads[i] = padding / 2;
    pads[i + 2] = std::max(reach - pads[i] - output, int64_t{0});
    extra[i] = std::max(output - (reach - pads[i]), int64_t{0});
  }
  attrs["pads"] = pads;
  attrs["output_padding"] = extra;
  bias = bias_or_wide_zeros(in, bias, x->type.tensor.dtype, weights->type.tensor.shape[0]);
  in.finish("conv_transpose", operands(x, weights, bias), std::move(attrs));
  return Done{};
}

}  // namespace

Status import_conv_2d(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(2, 1));
  HONE_RETURN_IF_ERROR(check_rank(in.in_type(0), "the input", 4));
  return import_conv(in, {"h", "w"}, in.in(1));
}

// Weights are [depth, height, width, input channels, output channels] here.
Status import_conv_3d(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(2, 1));
  HONE_RETURN_IF_ERROR(check_rank(in.in_type(0), "the input", 5));
  HONE_RETURN_IF_ERROR(check_rank(in.in_type(1), "the weights", 5));
  HONE_TRY(Attrs attrs, common_attrs(in, {"d", "h", "w"}));
  if (in.in_type(0).dtype != DType::F32) return unsupported("CONV_3D of ", in.in_type(0).dtype);
  Value* weights = add_transposed(in, in.in(1), {4, 0, 1, 2, 3});
  in.finish("conv", operands(in.in(0), weights, in.in_or_null(2)), std::move(attrs));
  return Done{};
}

Status import_depthwise_conv_2d(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(2, 1));
  const TensorType& w = in.in_type(1);
  HONE_RETURN_IF_ERROR(check_rank(in.in_type(0), "the input", 4));
  HONE_RETURN_IF_ERROR(check_rank(w, "the weights", 4));
  HONE_TRY(Attrs attrs, common_attrs(in, {"h", "w"}));
  HONE_TRY(const int64_t channels, channels_of(in.in_type(0)));
  HONE_TRY(const int64_t outputs, channels_of(w));
  if (w.shape[0] != 1) return bad_input("depthwise weights are ", w, ", expected 1 along axis 0");
  if (in.has(2) && in.in_type(0).dtype == DType::I16 && in.in_type(2).dtype != DType::I64) {
    return unsupported("a depthwise convolution of i16 with a bias of ", in.in_type(2).dtype);
  }
  attrs["group"] = channels;
  Value* weights = add_transposed(in, in.in(1), {3, 1, 2, 0});
  Value* bias = bias_or_wide_zeros(in, in.in_or_null(2), in.in_type(0).dtype, outputs);
  in.finish("conv", operands(in.in(0), weights, bias), std::move(attrs));
  return Done{};
}

Status import_transpose_conv(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(3, 1));
  HONE_RETURN_IF_ERROR(check_rank(in.in_type(2), "the input", 4));
  HONE_RETURN_IF_ERROR(check_rank(in.in_type(1), "the weights", 4));
  HONE_TRY(Attrs attrs, common_attrs(in, {"h", "w"}));
  HONE_TRY(const Ints size, in.known_ints(0));
  if (size.size() != 4) return bad_input("the output shape has ", size.size(), " axes, expected 4");
  Value* bias = in.in_or_null(3);
  const DType dtype = in.in_type(2).dtype;
  if (dtype == DType::I16 && bias != nullptr && bias->type.tensor.dtype != DType::I64) {
    return unsupported("a transposed convolution of i16 with a bias of ", bias->type.tensor.dtype);
  }
  return add_transpose_conv(in, in.in(2), in.in(1), bias, std::move(attrs), size);
}

// The options are three int32: padding (1 same, 2 valid) and the strides along width and height.
Status import_transpose_conv_bias(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(3, 1));
  HONE_RETURN_IF_ERROR(check_rank(in.in_type(0), "the input", 4));
  HONE_RETURN_IF_ERROR(check_rank(in.in_type(1), "the weights", 4));
  HONE_RETURN_IF_ERROR(check_rank(in.out_type(0), "the output", 4));
  int32_t options[3] = {};
  if (in.op().custom_options.size() != sizeof options) {
    return unsupported(in.op().custom_options.size(), " bytes of options, expected 12");
  }
  std::memcpy(options, in.op().custom_options.data(), sizeof options);
  const auto [padding, stride_w, stride_h] = options;
  if (padding != 1 && padding != 2) return unsupported("padding of kind ", padding);
  if (in.in_type(0).dtype != DType::F32) return unsupported("elements of ", in.in_type(0).dtype);
  Attrs attrs{{"auto_pad", std::string(padding == 1 ? "SAME_UPPER" : "VALID")},
              {"layout", std::string("nhwc")},
              {"strides", Ints{stride_h, stride_w}}};
  return add_transpose_conv(in, in.in(0), in.in(1), in.in(2), std::move(attrs),
                            in.out_type(0).shape);
}

}  // namespace hone
