#include "hone/targets/cuda/weighted_i8.h"

#include <algorithm>
#include <cstring>

#include "hone/kernels/gemm_i8/wide_weights.h"
#include "hone/ops/op_def.h"
#include "hone/ops/quant/weighted.h"
#include "hone/targets/common/dense_geometry.h"
#include "hone/targets/cuda/product_i8.h"

namespace hone::cuda {
namespace {

constexpr int64_t kWord = 4;  // Bytes that products load at once, at the least.

bool has_integer_operands(const Node& node, const StepBuilder& builder) {
  const Value* w = node.inputs[1];
  const Value* bias = input_of(node, 2);
  return is_byte_tensor(node.inputs[0], builder) && is_byte_tensor(node.outputs[0], builder) &&
         node.inputs[0]->type.tensor.dtype == node.outputs[0]->type.tensor.dtype &&
         !node.inputs[0]->constant && input_of(node, 3) == nullptr && w->constant &&
         w->constant->type().quantized() &&
         (w->constant->dtype() == DType::I8 || w->constant->dtype() == DType::U8) &&
         (bias == nullptr || (bias->constant && bias->constant->dtype() == DType::I32));
}

std::optional<ConvGeometry> conv_of(const Node& node) {
  const NodeContext context(*find_op(node.op), node);
  const auto conv =
      conv_geometry(context, node.inputs[0]->type.tensor.shape, node.inputs[1]->constant->shape());
  if (!conv.ok() || !conv->nhwc || conv->window.rank > 2) return std::nullopt;
  return *conv;
}

// The stored values less their zero points.
std::vector<int16_t> centered(const Tensor& weights) {
  std::vector<int16_t> result;
  for (const uint32_t w : less_zero_points<uint32_t>(weights)) {
    result.push_back(static_cast<int16_t>(static_cast<int32_t>(w)));
  }
  return result;
}

Tensor tensor_of_bytes(const std::vector<int8_t>& values) {
  return Tensor::of<int8_t>({static_cast<int64_t>(values.size())}, values);
}

// Weights as [columns, sets, taps, channels], every set a byte each and of whole pieces of 16.
Tensor sets_of_bytes(const std::vector<int16_t>& weights, const WeightedI8& weighted,
                     int64_t channels, const ProductI8Shape& shape) {
  const ConvGeometry& conv = weighted.conv;
  const auto k = static_cast<size_t>(conv.window.taps() * conv.in_channels);
  const auto sets = static_cast<size_t>(shape.sets);
  const auto set = static_cast<size_t>(shape.w_set());
  const std::vector<int8_t> split = split_weights(weights, k, sets);
  std::vector<int8_t> placed(static_cast<size_t>(shape.columns) * sets * set);
  const auto from_tap = static_cast<size_t>(conv.in_channels);
  for (size_t row = 0; row < static_cast<size_t>(shape.columns) * sets; ++row) {
    for (size_t tap = 0; tap < static_cast<size_t>(conv.window.taps()); ++tap) {
      std::copy_n(split.begin() + static_cast<std::ptrdiff_t>(row * k + tap * from_tap), from_tap,
                  placed.begin() +
                      static_cast<std::ptrdiff_t>(row * set + tap * static_cast<size_t>(channels)));
    }
  }
  return tensor_of_bytes(placed);
}

int64_t finish_pitch(const WeightedI8& weighted) {
  return (weighted.conv.out_channels + 15) / 16 * 16;
}

// Biases, less what the zero point of x adds to every sum, multipliers and shifts.
Tensor finish_of(const WeightedI8& weighted, const std::vector<int16_t>& weights) {
  const Value* bias = input_of(*weighted.node, 2);
  const auto zero =
      static_cast<uint32_t>(weighted.node->inputs[0]->type.tensor.quant->zero_point());
  const auto columns = static_cast<size_t>(weighted.conv.out_channels);
  const auto pitch = static_cast<size_t>(finish_pitch(weighted));
  const size_t depth = weights.size() / columns;
  std::vector<int32_t> finish(3 * pitch);
  for (size_t n = 0; n < columns; ++n) {
    uint32_t sum = bias == nullptr ? 0 : static_cast<uint32_t>(bias->constant->data<int32_t>()[n]);
    for (size_t k = 0; k < depth; ++k) sum -= zero * static_cast<uint32_t>(weights[n * depth + k]);
    finish[n] = static_cast<int32_t>(sum);
    finish[pitch + n] = weighted.factors[n].multiplier;
    finish[2 * pitch + n] = weighted.factors[n].shift;
  }
  return Tensor::of<int32_t>({static_cast<int64_t>(finish.size())}, finish);
}

bool scales_down(const WeightedI8& weighted) {
  return std::ranges::all_of(weighted.factors, [](FixedPoint factor) { return factor.shift < 0; });
}

int32_t zero_of(const Value* value) {
  return value->type.tensor.quant->zero_point();
}

bool is_unsigned(const WeightedI8& weighted) {
  return weighted.node->inputs[0]->type.tensor.dtype == DType::U8;
}

// A window of one tap that takes every pixel: the image is a matrix.
bool takes_pixels(const Window& window) {
  return window.taps() == 1 && window.in_pixels() == window.out_pixels() &&
         window.axes[1].pad_begin == 0 && window.axes[2].pad_begin == 0;
}

// What products of one group read other than it is: channels that are not whole words.
bool needs_feed(const WeightedI8& weighted) {
  return weighted.conv.groups == 1 && weighted.conv.in_channels % kWord != 0;
}

// What kernels of all kinds are told of a layer, but for the tail.
SourceMaker layer_defines(const WeightedI8& weighted, const StepBuilder& builder) {
  const ConvGeometry& conv = weighted.conv;
  SourceMaker source;
  define_rounding(source, builder).define("X_UNSIGNED", is_unsigned(weighted) ? 1 : 0);
  source.window(conv.window).define("X_PITCH", conv.in_channels);
  source.define("Y_PITCH", conv.out_channels).define("FINISH_PITCH", finish_pitch(weighted));
  source.define("FINISH_DOWN", scales_down(weighted) ? 1 : 0);
  source.define("Y_ZERO", int64_t{zero_of(weighted.node->outputs[0])});
  source.define("Y_LOW", int64_t{weighted.range.low});
  source.define("Y_HIGH", int64_t{weighted.range.high});
  return source.define("X_ZERO", int64_t{zero_of(weighted.node->inputs[0])});
}

// As bytes where all fit; `element` becomes the name of their type.
Tensor narrowest(const std::vector<int16_t>& weights, std::string_view& element) {
  element = weight_copies(weights) == 1 ? "i8" : "i16";
  if (element == "i16") {
    return Tensor::of<int16_t>({static_cast<int64_t>(weights.size())}, weights);
  }
  return tensor_of_bytes({weights.begin(), weights.end()});
}

// [channels][taps] as [taps][channels].
std::vector<int16_t> taps_outside(const std::vector<int16_t>& weights, size_t channels) {
  const size_t taps = weights.size() / channels;
  std::vector<int16_t> turned(weights.size());
  for (size_t i = 0; i < weights.size(); ++i) {
    turned[i % taps * channels + i / taps] = weights[i];
  }
  return turned;
}

Variant depthwise_i8_variant(const WeightedI8& weighted, const TailI8& tail, int64_t vec,
                             int64_t columns, std::string_view weight_type,
                             const ProductI8Operands& operands, const StepBuilder& builder) {
  constexpr unsigned kBlock = 128;
  const ConvGeometry& conv = weighted.conv;
  SourceMaker source = layer_defines(weighted, builder);
  source.define("IMAGES", conv.batch).define("CHANNELS", conv.in_channels).define("VEC", vec);
  source.define("COLUMNS", columns).define("BLOCK", int64_t{kBlock}).define("W", weight_type);
  define_tail(tail, vec, source);
  const int64_t runs = (conv.window.axes[2].out + columns - 1) / columns;
  const int64_t threads = conv.batch * conv.window.axes[1].out * runs * (conv.in_channels / vec);
  const std::string name = str(vec, " x ", columns);
  Variant variant = simple_variant(
      source.make("depthwise_i8", "depthwise_i8 " + name, {"integers", "bytes", "finish"}), threads,
      kBlock, arguments_of(operands, tail));
  variant.name = name;
  return variant;
}

Step depthwise_i8_step(const WeightedI8& weighted, const TailI8& tail, StepBuilder& builder) {
  Step step{.kind = kind_of_step(StepFamily::Depthwise, "depthwise_i8", *weighted.node)};
  const auto channels = static_cast<size_t>(weighted.conv.in_channels);
  const std::vector<int16_t> weights = centered(*weighted.node->inputs[1]->constant);
  std::string_view weight_type;
  ProductI8Operands operands;
  operands.x = builder.read(weighted.node->inputs[0]);
  operands.w = builder.packed(narrowest(taps_outside(weights, channels), weight_type));
  operands.finish = builder.packed(finish_of(weighted, weights));
  operands.y = builder.write(tail.y);
  for (const int64_t vec : {4, 8, 2, 1}) {
    if (weighted.conv.in_channels % vec != 0 || tail.piece % vec != 0) continue;
    if (vec < 4 && !step.variants.empty()) break;
    for (const int64_t columns : {2, 1, 4, 7}) {
      if (columns > 1 && columns > weighted.conv.window.axes[2].out) continue;
      step.variants.push_back(
          depthwise_i8_variant(weighted, tail, vec, columns, weight_type, operands, builder));
    }
  }
  return step;
}

Step grouped_i8_step(const WeightedI8& weighted, const TailI8& tail, StepBuilder& builder) {
  constexpr unsigned kBlock = 128;
  const ConvGeometry& conv = weighted.conv;
  const std::vector<int16_t> weights = centered(*weighted.node->inputs[1]->constant);
  std::string_view weight_type;
  ProductI8Operands operands;
  operands.x = builder.read(weighted.node->inputs[0]);
  operands.w = builder.packed(narrowest(weights, weight_type));
  operands.finish = builder.packed(finish_of(weighted, weights));
  operands.y = builder.write(tail.y);
  const int64_t rows = conv.batch * conv.window.out_pixels();
  SourceMaker source = layer_defines(weighted, builder);
  source.define("M", rows).define("N", conv.out_channels).define("W", weight_type);
  source.define("CHANNELS", conv.in_channels / conv.groups);
  source.define("COLUMNS", conv.out_channels / conv.groups).define("BLOCK", int64_t{kBlock});
  define_tail(tail, 1, source);
  Step step{.kind = kind_of_step(StepFamily::Product, "conv_i8", *weighted.node)};
  step.variants.push_back(simple_variant(
      source.make("plain_product_i8", "plain_product_i8", {"integers", "bytes", "finish"}),
      rows * conv.out_channels, kBlock, arguments_of(operands, tail)));
  step.variants[0].name = "plain";
  return step;
}

bool turns_channels_last(const Node& node) {
  if (node.op != "transpose" || node.inputs[0]->type.tensor.rank() != 4) return false;
  const NodeContext context(*find_op(node.op), node);
  return context.has_attr("perm") && context.ints("perm") == Ints{0, 2, 3, 1};
}

bool quantizes(const Node& node, const StepBuilder& builder) {
  return node.inputs[0]->type.tensor.dtype == DType::F32 && is_map_i8(node, builder);
}

// The launch that brings what is read to bytes of whole words, and the place it brings them to.
struct Feed {
  Launch launch;
  Slot to;
};

Feed feed_of(const WeightedI8& weighted, int64_t channels, StepBuilder& builder) {
  constexpr unsigned kBlock = 256;
  const ConvGeometry& conv = weighted.conv;
  const Value* from = weighted.node->inputs[0];
  const int64_t pixels = conv.window.in_pixels();
  bool turned = false;
  std::string quantize = "(v)";
  for (const Node* node = builder.inlined(from); node != nullptr; node = builder.inlined(from)) {
    if (node->op == "transpose") {
      turned = true;
    } else {
      quantize = quantize_text(*node, "(v)", builder);
    }
    from = node->inputs[0];
  }
  const std::string_view type = is_unsigned(weighted) ? "u8" : "i8";
  SourceMaker source;
  define_rounding(source, builder).define("TO", type).define("QUANTIZE(v)", quantize);
  source.define("FROM", from->type.tensor.dtype == DType::F32 ? "float" : type);
  source.define("IMAGES", conv.batch).define("PIXELS", pixels).define("CHANNELS", conv.in_channels);
  source.define("WORDS", channels / kWord).define("IMAGE_STEP", pixels * conv.in_channels);
  source.define("PIXEL_STEP", turned ? 1 : conv.in_channels);
  source.define("CHANNEL_STEP", turned ? pixels : 1).define("BLOCK", int64_t{kBlock});
  const Slot x = builder.read(from);
  const Slot to = builder.scratch(static_cast<size_t>(conv.batch * pixels * channels));
  Variant variant = simple_variant(source.make("feed_i8", "feed_i8", {"integers"}),
                                   conv.batch * pixels * channels / kWord, kBlock, {x, to});
  return {std::move(variant.launches[0]), to};
}

Step product_i8_step(const WeightedI8& weighted, const TailI8& tail, StepBuilder& builder) {
  const ConvGeometry& conv = weighted.conv;
  const int64_t channels = (conv.in_channels + kWord - 1) / kWord * kWord;
  const std::vector<int16_t> weights = centered(*weighted.node->inputs[1]->constant);
  ProductI8Shape shape;
  shape.x_unsigned = is_unsigned(weighted);
  shape.rows = conv.batch * conv.window.out_pixels();
  shape.columns = conv.out_channels;
  shape.depth = conv.window.taps() * channels;
  shape.sets = static_cast<int64_t>(weight_copies(weights));
  shape.x_pitch = channels;
  shape.y_pitch = conv.out_channels;
  shape.finish_pitch = finish_pitch(weighted);
  shape.channels = channels;
  shape.x_zero = zero_of(weighted.node->inputs[0]);
  shape.y_zero = zero_of(weighted.node->outputs[0]);
  shape.range = weighted.range;
  shape.scales_down = scales_down(weighted);
  if (!takes_pixels(conv.window)) shape.window = conv.window;
  ProductI8Operands operands;
  std::optional<Feed> feed;
  if (needs_feed(weighted)) feed = feed_of(weighted, channels, builder);
  operands.x = feed ? feed->to : builder.read(weighted.node->inputs[0]);
  operands.w = builder.packed(sets_of_bytes(weights, weighted, channels, shape));
  operands.finish = builder.packed(finish_of(weighted, weights));
  operands.y = builder.write(tail.y);
  Step step{.kind = kind_of_step(StepFamily::Product, "conv_i8", *weighted.node),
            .variants = product_i8_variants(shape, operands, tail, builder)};
  if (weighted.node->op == "gemm") step.kind.work = "gemm_i8";
  if (feed) {
    for (Variant& variant : step.variants) {
      variant.launches.insert(variant.launches.begin(), feed->launch);
    }
  }
  return step;
}

}  // namespace

std::optional<WeightedI8> weighted_i8(const Node& node, const StepBuilder& builder) {
  const bool conv = node.op == "conv";
  if ((!conv && node.op != "gemm") || !has_integer_operands(node, builder)) return std::nullopt;
  const auto geometry = conv ? conv_of(node) : dense_geometry(node);
  const auto range = range_of_output(node);
  if (!geometry || !range) return std::nullopt;
  const TensorType& x = node.inputs[0]->type.tensor;
  const ScaleProduct product = conv ? scale_product(x.dtype) : ScaleProduct::Float;
  return WeightedI8{&node, *geometry,
                    output_factors(x, node.inputs[1]->constant->type(),
                                   node.outputs[0]->type.tensor, geometry->out_channels, product),
                    *range};
}

std::vector<const Node*> feeding_nodes(const WeightedI8& weighted, const StepBuilder& builder,
                                       const std::function<bool(const Value&)>& alone) {
  std::vector<const Node*> nodes;
  if (!needs_feed(weighted)) return nodes;
  bool quantized = false;
  bool turned = false;
  for (const Value* x = weighted.node->inputs[0]; x->producer != nullptr && alone(*x);
       x = x->producer->inputs[0]) {
    const Node& node = *x->producer;
    bool& once = node.op == "transpose" ? turned : quantized;
    if (once || !(turns_channels_last(node) || quantizes(node, builder))) break;
    once = true;
    nodes.push_back(&node);
  }
  return nodes;
}

Step weighted_i8_step(const WeightedI8& weighted, const TailI8& tail, StepBuilder& builder) {
  Step step = weighted.depthwise()       ? depthwise_i8_step(weighted, tail, builder)
              : weighted.conv.groups > 1 ? grouped_i8_step(weighted, tail, builder)
                                         : product_i8_step(weighted, tail, builder);
  step.node = weighted.node;
  return step;
}

}  // namespace hone::cuda
