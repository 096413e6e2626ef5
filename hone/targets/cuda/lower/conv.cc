// Convolutions of floats in nhwc images with one or two spatial axes.

#include <algorithm>

#include "hone/ops/op_def.h"
#include "hone/targets/common/fused.h"
#include "hone/targets/cuda/lowering.h"
#include "hone/targets/cuda/product.h"

namespace hone::cuda {
namespace {

bool fits_conv(const Node& node, const StepBuilder& builder) {
  const Value* bias = input_of(node, 2);
  const Value* residual = input_of(node, 3);
  return is_float_tensor(node.inputs[0], builder) && is_float_tensor(node.outputs[0], builder) &&
         is_float_tensor(node.inputs[1], builder) && node.inputs[1]->constant &&
         node.inputs[1]->type.tensor.dtype == node.inputs[0]->type.tensor.dtype &&
         (bias == nullptr || bias->constant) &&
         (residual == nullptr || is_float_tensor(residual, builder));
}

// [channels, height, width] of one tap after the other: [height, width, channels].
Tensor taps_first(const Tensor& weights, int64_t channels) {
  const int64_t taps = weights.elements() / channels;
  Tensor turned(TensorType{weights.dtype(), {taps, channels}});
  const size_t element = weights.bytes().size() / static_cast<size_t>(weights.elements());
  const std::byte* from = weights.bytes().data();
  std::byte* to = turned.mutable_bytes().data();
  for (int64_t channel = 0; channel < channels; ++channel) {
    for (int64_t tap = 0; tap < taps; ++tap) {
      std::copy_n(from + static_cast<size_t>(channel * taps + tap) * element, element,
                  to + static_cast<size_t>(tap * channels + channel) * element);
    }
  }
  return turned;
}

Slot bias_slot(const Node& node, StepBuilder& builder) {
  const Value* bias = input_of(node, 2);
  return bias == nullptr ? kNoSlot : builder.packed(as_floats(*bias->constant));
}

// What a thread computes: neighbours in a row, so many channels of each.
struct DepthwisePiece {
  int64_t columns;
  int64_t vec;
};

int64_t threads_of(const ConvGeometry& conv, const DepthwisePiece& piece) {
  const int64_t runs = (conv.window.axes[2].out + piece.columns - 1) / piece.columns;
  return conv.batch * conv.window.axes[1].out * runs * (conv.in_channels / piece.vec);
}

// Large pieces load the least, but a GPU wants many threads: of those with enough of them the
// largest come first.
std::vector<DepthwisePiece> depthwise_pieces(const ConvGeometry& conv, DType dtype,
                                             const GpuInfo& gpu) {
  constexpr size_t kMostPieces = 6;
  constexpr int64_t kEnoughThreads = 512;  // Of a multiprocessor.
  std::vector<DepthwisePiece> pieces;
  const int64_t most = pack_of(dtype, std::array{conv.in_channels});
  for (int64_t vec = most; vec >= 1 && vec >= most / 4; vec /= 2) {
    for (const int64_t columns : {1, 2, 4, 7}) {
      if (columns == 1 || columns <= conv.window.axes[2].out) pieces.push_back({columns, vec});
    }
  }
  const auto cost = [&](const DepthwisePiece& piece) {
    const int64_t size = piece.columns * piece.vec;
    const bool enough = threads_of(conv, piece) >= kEnoughThreads * gpu.multiprocessors;
    return enough ? -size : size;
  };
  std::ranges::stable_sort(pieces, {}, cost);
  if (pieces.size() > kMostPieces) pieces.resize(kMostPieces);
  return pieces;
}

Variant depthwise_variant(const Node& node, const ConvGeometry& conv, const Activation& activation,
                          const DepthwisePiece& piece, const std::vector<Slot>& operands,
                          int64_t y_pitch) {
  constexpr unsigned kBlock = 128;
  const DType dtype = node.inputs[0]->type.tensor.dtype;
  const int64_t channels = conv.in_channels;
  const auto [columns, vec] = piece;
  const Window& window = conv.window;
  SourceMaker source;
  source.element(dtype).window(window).define("IMAGES", conv.batch).define("CHANNELS", channels);
  source.define("X_PITCH", channels).define("Y_PITCH", y_pitch).define("VEC", vec);
  source.define("COLUMNS", columns).define("BLOCK", int64_t{kBlock});
  source.define("HAS_BIAS", operands[2] != kNoSlot ? 1 : 0).activation(activation);
  Variant variant = simple_variant(source.make("depthwise", "depthwise"), threads_of(conv, piece),
                                   kBlock, operands);
  variant.name = str(columns, "x", vec);
  return variant;
}

Step depthwise_step(const Node& node, const ConvGeometry& conv, const Activation& activation,
                    StepBuilder& builder) {
  Step step{.kind = kind_of_step(StepFamily::Depthwise, "depthwise", node)};
  const Slot x = builder.read(node.inputs[0]);
  const Slot w = builder.packed(taps_first(*node.inputs[1]->constant, conv.in_channels));
  const std::vector<Slot> operands = {x, w, bias_slot(node, builder),
                                      builder.write(node.outputs[0])};
  for (const DepthwisePiece& piece :
       depthwise_pieces(conv, node.inputs[0]->type.tensor.dtype, builder.gpu())) {
    step.variants.push_back(depthwise_variant(node, conv, activation, piece, operands,
                                              builder.row_pitch(node.outputs[0])));
  }
  return step;
}

// A window of one tap that takes every pixel: the image is a matrix.
bool is_pointwise(const Window& window) {
  return window.taps() == 1 && window.in_pixels() == window.out_pixels() &&
         window.axes[1].pad_begin == 0 && window.axes[2].pad_begin == 0;
}

Step product_step(const Node& node, const ConvGeometry& conv, const Activation& activation,
                  StepBuilder& builder) {
  ProductShape shape;
  shape.dtype = node.inputs[0]->type.tensor.dtype;
  shape.rows = conv.batch * conv.window.out_pixels();
  shape.groups = conv.groups;
  shape.columns = conv.out_channels / conv.groups;
  shape.channels = conv.in_channels / conv.groups;
  shape.depth = conv.window.taps() * shape.channels;
  shape.x_pitch = conv.in_channels;
  shape.y_pitch = builder.row_pitch(node.outputs[0]);
  shape.w_n = conv.groups == 1 ? (shape.depth + 7) / 8 * 8 : shape.depth;
  if (!is_pointwise(conv.window) || conv.groups > 1) shape.window = conv.window;
  shape.constant_weights = true;
  shape.tf32 = in_tf32(shape.dtype, builder);
  shape.activation = activation;
  ProductOperands operands;
  operands.x = builder.read(node.inputs[0]);
  operands.w =
      packed_weights(pad_rows(*node.inputs[1]->constant, conv.out_channels, shape.depth, shape.w_n),
                     shape, builder);
  operands.bias = bias_slot(node, builder);
  if (const Value* residual = input_of(node, 3)) operands.residual = builder.read(residual);
  operands.y = builder.write(node.outputs[0]);
  return product_step_of(kind_of_step(StepFamily::Product, "conv", node), shape, operands, builder);
}

std::optional<ConvGeometry> taken_conv(const Node& node, const StepBuilder& builder) {
  if (!fits_conv(node, builder)) return std::nullopt;
  const NodeContext context(*find_op(node.op), node);
  const auto conv =
      conv_geometry(context, node.inputs[0]->type.tensor.shape, node.inputs[1]->type.tensor.shape);
  if (!conv.ok() || !conv->nhwc || conv->window.rank > 2 || !fused_activation(node)) {
    return std::nullopt;
  }
  return *conv;
}

std::optional<Step> lower_conv_node(const Node& node, StepBuilder& builder) {
  const auto conv = taken_conv(node, builder);
  if (!conv) return std::nullopt;
  const auto activation = fused_activation(node);
  const bool depthwise = conv->groups > 1 && conv->groups == conv->in_channels &&
                         conv->groups == conv->out_channels && input_of(node, 3) == nullptr;
  if (depthwise) return depthwise_step(node, *conv, *activation, builder);
  return product_step(node, *conv, *activation, builder);
}

}  // namespace

bool takes_conv(const Node& node, const StepBuilder& builder) {
  return taken_conv(node, builder).has_value();
}

extern const LoweringDef lower_conv = {.op = "conv", .lower = lower_conv_node};

}  // namespace hone::cuda
