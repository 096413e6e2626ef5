// TFLite's convolutions: weights [output channels, height, width, input channels], but depthwise ones
// [1, height, width, output channels].

#include "hone/model/tflite_rules/padding.h"
#include "hone/model/tflite_rules/product.h"
#include "hone/ops/movement/transpose_tflite.h"  // transposed

namespace hone {
namespace {

// Weights of rows of pixels as those of images of height 1.
Tensor as_image_weights(const Tensor& weights) {
  if (weights.rank() != 3) return weights;
  const Shape& shape = weights.shape();
  const auto& quant = weights.type().quant;
  if (quant == nullptr || quant->per_tensor() || quant->axis == 0) {
    return weights.reshaped({shape[0], 1, shape[1], shape[2]}).with_quantization(quant);
  }
  auto moved = std::make_shared<Quantization>(*quant);
  ++moved->axis;
  return weights.with_quantization(nullptr)
      .reshaped({shape[0], 1, shape[1], shape[2]})
      .with_quantization(std::move(moved));
}

Result<int> conv_weights(TfliteExport& out, const Node& node, bool depthwise) {
  const Value* w = node.inputs[1];
  const bool image = w->type.tensor.rank() == 4;
  if (image && !depthwise && !has_narrow_weights(node)) return out.tensor(w);
  HONE_TRY(Tensor weights, export_constant(node, 1, "its kernel"));
  if (has_narrow_weights(node)) weights = as_unsigned(weights);
  weights = as_image_weights(weights);
  if (depthwise) weights = transposed(weights, {3, 1, 2, 0});
  return out.constant(w->name, std::move(weights));
}

std::vector<int> with_bias(std::vector<int> inputs, int bias) {
  if (bias >= 0) inputs.push_back(bias);
  return inputs;
}

Status write_conv(TfliteExport& out, const Node& node) {
  HONE_RETURN_IF_ERROR(check_image_node(node));
  HONE_RETURN_IF_ERROR(check_tflite_product(node));
  if (export_input(node, 3) != nullptr) return unsupported("TFLite fuses no residual");
  HONE_TRY(const ConvGeometry conv,
           conv_geometry(NodeContext(*find_op("conv"), node), node.inputs[0]->type.tensor.shape,
                         node.inputs[1]->type.tensor.shape));
  HONE_TRY(const std::string activation, tflite_activation(node));
  const bool depthwise = conv.groups > 1 && conv.groups == conv.in_channels;
  HONE_TRY(const int weights, conv_weights(out, node, depthwise));
  const int bias = tflite_bias(out, node, 2);
  const TfliteImage image = padded_image(out, node, conv.window);
  const WindowAxis& h = conv.window.axes[1];
  const WindowAxis& w = conv.window.axes[2];
  TfliteExport::Options options{{"padding", image.padding},
                                {"stride_h", h.stride},
                                {"stride_w", w.stride},
                                {"dilation_h_factor", h.dilation},
                                {"dilation_w_factor", w.dilation},
                                {"fused_activation_function", activation}};
  if (depthwise) options["depth_multiplier"] = conv.out_channels / conv.in_channels;
  const int y = begin_image(out, node);
  out.add(depthwise ? "DEPTHWISE_CONV_2D" : "CONV_2D", with_bias({image.tensor, weights}, bias),
          {y}, std::move(options));
  end_image(out, node, y);
  return Done{};
}

// Whether TFLite, which derives the padding from the output's extent, comes to the same.
bool spreads_alike(const WindowAxis& axis, bool same) {
  const int64_t output = axis.out;
  const int64_t windows =
      same ? (output + axis.stride - 1) / axis.stride : (output - axis.kernel) / axis.stride + 1;
  const int64_t padding = std::max((windows - 1) * axis.stride + axis.kernel - output, int64_t{0});
  return axis.dilation == 1 && windows == axis.in && padding / 2 == axis.pad_begin;
}

Status write_conv_transpose(TfliteExport& out, const Node& node) {
  HONE_RETURN_IF_ERROR(check_image_node(node));
  HONE_TRY(const ConvGeometry conv,
           conv_transpose_geometry(NodeContext(*find_op("conv_transpose"), node),
                                   node.inputs[0]->type.tensor.shape,
                                   node.inputs[1]->type.tensor.shape));
  HONE_RETURN_IF_ERROR(check_tflite_product(node));
  HONE_TRY(const std::string activation, tflite_activation(node));
  if (conv.groups != 1) return unsupported("a transposed convolution in groups");
  const WindowAxis& h = conv.window.axes[1];
  const WindowAxis& w = conv.window.axes[2];
  const bool same = spreads_alike(h, true) && spreads_alike(w, true);
  if (!same && !(spreads_alike(h, false) && spreads_alike(w, false))) {
    return unsupported("a transposed convolution whose padding is neither SAME nor VALID");
  }
  const Value* x = node.inputs[0];
  const Value* y = node.outputs[0];
  if (x->type.tensor.rank() != 4) return unsupported("a transposed convolution of rows of pixels");
  HONE_TRY(const int weights, conv_weights(out, node, false));
  std::vector<int> inputs{out.ints(y->name + "/shape", y->type.tensor.shape), weights,
                          out.tensor(x)};
  out.add("TRANSPOSE_CONV", with_bias(std::move(inputs), tflite_bias(out, node, 2)),
          {out.tensor(y)},
          {{"padding", std::string(same ? "SAME" : "VALID")},
           {"stride_h", h.stride},
           {"stride_w", w.stride},
           {"fused_activation_function", activation}});
  return Done{};
}

}  // namespace

extern const std::vector<TfliteExportRule> tflite_conv_rules = {
    {"conv", write_conv},
    {"conv_transpose", write_conv_transpose},
};

}  // namespace hone
