// Transposed convolutions of floats in nhwc images: every input pixel times the weights of all taps,
// one product, and then what reaches each output pixel is added up. Groups are computed directly.

#include <algorithm>

#include "hone/ops/op_def.h"
#include "hone/targets/common/fused.h"
#include "hone/targets/cuda/lowering.h"
#include "hone/targets/cuda/product.h"

namespace hone::cuda {
namespace {

constexpr unsigned kSpreadBlock = 128;

bool fits_transposed(const Node& node, const StepBuilder& builder) {
  const Value* bias = input_of(node, 2);
  return is_float_tensor(node.inputs[0], builder) && is_float_tensor(node.outputs[0], builder) &&
         is_float_tensor(node.inputs[1], builder) && node.inputs[1]->constant &&
         node.inputs[1]->type.tensor.dtype == node.inputs[0]->type.tensor.dtype &&
         (bias == nullptr || bias->constant);
}

// [output channels][taps][depth] as rows of whole 16 bytes, [taps][output channels].
Tensor rows_by_tap(const Tensor& weights, int64_t channels, int64_t taps, int64_t pitch) {
  const int64_t depth = weights.elements() / (channels * taps);
  Tensor turned(TensorType{weights.dtype(), {taps * channels, pitch}});
  const size_t element = weights.bytes().size() / static_cast<size_t>(weights.elements());
  const auto row = static_cast<size_t>(depth) * element;
  const std::byte* from = weights.bytes().data();
  std::byte* to = turned.mutable_bytes().data();
  for (int64_t channel = 0; channel < channels; ++channel) {
    for (int64_t tap = 0; tap < taps; ++tap) {
      std::copy_n(from + static_cast<size_t>(channel * taps + tap) * row, row,
                  to + static_cast<size_t>((tap * channels + channel) * pitch) * element);
    }
  }
  return turned;
}

Launch spread_launch(const Node& node, const ConvGeometry& conv, const Activation& activation,
                     const std::vector<Slot>& slots) {
  const DType dtype = node.inputs[0]->type.tensor.dtype;
  const bool direct = conv.groups > 1;
  const int64_t vec = direct ? 1 : pack_of(dtype, std::array{conv.out_channels});
  SourceMaker source;
  source.element(dtype).window(conv.window).define("IMAGES", conv.batch);
  source.define("CHANNELS", conv.out_channels).define("VEC", vec);
  source.define("BLOCK", int64_t{kSpreadBlock}).activation(activation);
  source.define("HAS_BIAS", slots[2] != kNoSlot ? 1 : 0);
  if (direct) {
    source.define("DIRECT", "").define("IN_CHANNELS", conv.in_channels);
    source.define("GROUPS", conv.groups);
  }
  const int64_t threads = node.outputs[0]->type.tensor.elements() / vec;
  return simple_variant(source.make("spread", "spread"), threads, kSpreadBlock, slots).launches[0];
}

ProductShape columns_shape(const Node& node, const ConvGeometry& conv) {
  ProductShape shape;
  shape.dtype = node.inputs[0]->type.tensor.dtype;
  shape.rows = conv.batch * conv.window.in_pixels();
  shape.columns = conv.window.taps() * conv.out_channels;
  shape.depth = conv.in_channels;
  shape.x_pitch = conv.in_channels;
  shape.y_pitch = shape.columns;
  shape.w_n = (shape.depth + 7) / 8 * 8;
  shape.constant_weights = true;
  return shape;
}

std::vector<Variant> columns_variants(const Node& node, const ConvGeometry& conv,
                                      const Activation& activation, Slot bias,
                                      StepBuilder& builder) {
  const ProductShape shape = columns_shape(node, conv);
  ProductOperands operands;
  operands.x = builder.read(node.inputs[0]);
  operands.w = builder.packed(
      rows_by_tap(*node.inputs[1]->constant, conv.out_channels, conv.window.taps(), shape.w_n));
  operands.y = builder.scratch(static_cast<size_t>(shape.rows * shape.columns) *
                               static_cast<size_t>(bits_of(shape.dtype)) / 8);
  const Slot y = builder.write(node.outputs[0]);
  std::vector<Variant> variants = product_variants(shape, operands, builder);
  for (Variant& variant : variants) {
    variant.launches.push_back(
        spread_launch(node, conv, activation, {operands.y, kNoSlot, bias, y}));
  }
  return variants;
}

std::optional<Step> lower_transposed_node(const Node& node, StepBuilder& builder) {
  if (!fits_transposed(node, builder)) return std::nullopt;
  const NodeContext context(*find_op(node.op), node);
  const auto conv = conv_transpose_geometry(context, node.inputs[0]->type.tensor.shape,
                                            node.inputs[1]->type.tensor.shape);
  const auto activation = fused_activation(node);
  if (!conv.ok() || !conv->nhwc || conv->window.rank > 2 || !activation) return std::nullopt;
  const int64_t columns =
      conv->batch * conv->window.in_pixels() * conv->window.taps() * conv->out_channels;
  if (columns > kMostElements) return std::nullopt;
  const Value* given = input_of(node, 2);
  const Slot bias = given == nullptr ? kNoSlot : builder.packed(as_floats(*given->constant));
  Step step{.kind = kind_of_step(StepFamily::Product, "conv_transpose", node)};
  if (conv->groups == 1) {
    step.variants = columns_variants(node, *conv, *activation, bias, builder);
    return step;
  }
  const Slot x = builder.read(node.inputs[0]);
  const Slot w = builder.packed(*node.inputs[1]->constant);
  const Slot y = builder.write(node.outputs[0]);
  step.variants.push_back({"direct", {spread_launch(node, *conv, *activation, {x, w, bias, y})}});
  return step;
}

}  // namespace

extern const LoweringDef lower_conv_transpose = {.op = "conv_transpose",
                                                 .lower = lower_transposed_node};

}  // namespace hone::cuda
