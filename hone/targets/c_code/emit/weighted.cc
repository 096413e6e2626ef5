// Convolutions and fully connected layers with constant weights.

#include "hone/ops/quant/weighted.h"

#include "hone/targets/c_code/emitter.h"
#include "hone/targets/common/dense_geometry.h"

namespace hone::c_code {
namespace {

constexpr int64_t kDepthUnit = 8;  // Of the weights in product.c.
constexpr int64_t kColumns = 3;    // HONE_COLUMNS.

struct Weighted {
  const Node& node;
  ConvGeometry conv;
  std::vector<int32_t> weights;  // Less their zero points: [out channels][taps][in channels].

  int64_t depth() const { return std::ssize(weights) / conv.out_channels; }
  int32_t weight(int64_t n, int64_t k) const {
    return weights[static_cast<size_t>(n * depth() + k)];
  }
  bool depthwise() const {
    return conv.groups > 1 && conv.groups == conv.in_channels && conv.groups == conv.out_channels;
  }
};

int64_t rounded_up(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

constexpr int64_t kNoChannel = -1;

// The channels as the kernels take them: those of a group are filled up to whole pairs.
std::vector<int64_t> channels_in_pairs(const Weighted& layer) {
  const int64_t groups = layer.depthwise() ? 1 : layer.conv.groups;
  const int64_t own = layer.conv.out_channels / groups;
  std::vector<int64_t> channels;
  for (int64_t n = 0; n < layer.conv.out_channels; ++n) {
    channels.push_back(n);
    if (n % own == own - 1 && own % 2 == 1) channels.push_back(kNoChannel);
  }
  return channels;
}

Status check_constants(const Node& node) {
  HONE_RETURN_IF_ERROR(check_int8_operands(node, 1));
  const Value* weights = node.inputs[1];
  if (!weights->constant) return unsupported("weights that are computed");
  if (weights->constant->dtype() != DType::I8) {
    return unsupported("weights of ", weights->constant->dtype(), ", expected int8");
  }
  const auto& quant = weights->constant->type().quant;
  if (quant && std::ranges::any_of(quant->zero_points, [](int32_t zero) { return zero != 0; })) {
    return unsupported("weights whose zero point is not 0");
  }
  const Value* bias = input_of(node, 2);
  if (bias != nullptr && (!bias->constant || bias->constant->dtype() != DType::I32)) {
    return unsupported("a bias that is no constant of int32");
  }
  if (input_of(node, 3) != nullptr) return unsupported("a residual inside a layer");
  return Done{};
}

std::vector<int32_t> centered_weights(const Node& node) {
  std::vector<int32_t> values;
  for (const uint32_t w : less_zero_points<uint32_t>(*node.inputs[1]->constant)) {
    values.push_back(static_cast<int32_t>(w));
  }
  return values;
}

// What the zero point of x adds to every sum is taken from its bias.
int32_t centered_bias(const Weighted& layer, int64_t n) {
  const Value* bias = input_of(layer.node, 2);
  const auto channel = static_cast<size_t>(n);
  uint32_t sum =
      bias == nullptr ? 0 : static_cast<uint32_t>(bias->constant->data<int32_t>()[channel]);
  const auto zero = static_cast<uint32_t>(zero_of(layer.node.inputs[0]));
  for (int64_t k = 0; k < layer.depth(); ++k) {
    sum -= zero * static_cast<uint32_t>(layer.weight(n, k));
  }
  return static_cast<int32_t>(sum);
}

// Whether the factor is below 1/2 and not below 2^-22, and no sum reaches 2^30: bytes are at most 128 in
// magnitude.
bool scales_down(const Weighted& layer, int64_t n, FixedPoint factor) {
  constexpr int64_t kMost = int64_t{1} << 30;
  int64_t most = std::abs(int64_t{centered_bias(layer, n)});
  for (int64_t k = 0; k < layer.depth(); ++k) {
    most += 128 * std::abs(int64_t{layer.weight(n, k)});
  }
  return most < kMost && factor.shift <= -1 && factor.shift >= -22;
}

// Biases, multipliers and shifts. Gives what the kernel is told of them.
Result<std::string> add_finish(const Weighted& layer, Step& step) {
  const std::vector<FixedPoint> factors = output_factors(
      layer.node.inputs[0]->type.tensor, layer.node.inputs[1]->constant->type(),
      layer.node.outputs[0]->type.tensor, layer.conv.out_channels, ScaleProduct::Double);
  std::vector<int32_t> biases;
  std::vector<int32_t> multipliers;
  std::vector<int8_t> shifts;
  bool down = true;
  for (const int64_t n : channels_in_pairs(layer)) {
    const FixedPoint factor = n == kNoChannel ? FixedPoint{0, -1} : factors[static_cast<size_t>(n)];
    biases.push_back(n == kNoChannel ? 0 : centered_bias(layer, n));
    multipliers.push_back(factor.multiplier);
    shifts.push_back(static_cast<int8_t>(factor.shift));
    down = down && (n == kNoChannel || scales_down(layer, n, factor));
  }
  HONE_TRY(const IntRange range, output_range(layer.node));
  const size_t first = step.arrays.size();
  step.arrays.push_back(biases);
  step.arrays.push_back(multipliers);
  step.arrays.push_back(shifts);
  return str("(hone_finish){c", first, ", c", first + 1, ", c", first + 2, ", ",
             zero_of(layer.node.outputs[0]), ", ", range.low, ", ", range.high, ", ", down ? 1 : 0,
             "}");
}

// Four values of k of a channel from one on, zeros where there are none.
uint32_t weight_word(const Weighted& layer, int64_t n, int64_t k) {
  uint32_t word = 0;
  for (int64_t i = 0; i < 4 && n != kNoChannel && k + i < layer.depth(); ++i) {
    word |= (static_cast<uint32_t>(layer.weight(n, k + i)) & 0xff) << (8 * i);
  }
  return word;
}

// Panels of two channels, a word of four values of k of each in turn.
Array panels_of(const Weighted& layer) {
  const std::vector<int64_t> channels = channels_in_pairs(layer);
  std::vector<uint32_t> words;
  for (size_t place = 0; place < channels.size(); place += 2) {
    for (int64_t k = 0; k < rounded_up(layer.depth(), kDepthUnit); k += 4) {
      words.push_back(weight_word(layer, channels[place], k));
      words.push_back(weight_word(layer, channels[place + 1], k));
    }
  }
  return words;
}

// [channels][taps].
Array taps_of(const Weighted& layer) {
  return std::vector<int8_t>(layer.weights.begin(), layer.weights.end());
}

// A window of one tap that takes every pixel.
bool takes_pixels(const ConvGeometry& conv) {
  const WindowAxis& h = conv.window.axes[1];
  const WindowAxis& w = conv.window.axes[2];
  return conv.window.taps() == 1 && h.stride == 1 && w.stride == 1 && h.pad_begin == 0 &&
         w.pad_begin == 0 && h.out == h.in && w.out == w.in;
}

// A column of 16 bits.
size_t column_bytes(const Weighted& layer) {
  return 2 * static_cast<size_t>(rounded_up(layer.depth(), kDepthUnit));
}

Result<Step> dense_step(const Weighted& layer) {
  Step step{.arrays = {panels_of(layer)}, .scratch_bytes = column_bytes(layer)};
  HONE_TRY(std::string finish, add_finish(layer, step));
  step.calls = {{"hone_dense",
                 {"x0", str(layer.depth()), str(layer.conv.out_channels), "c0", std::move(finish),
                  "y", "scratch"}}};
  return step;
}

Result<Step> pixels_step(const Weighted& layer) {
  const ConvGeometry& conv = layer.conv;
  Step step{.arrays = {panels_of(layer)},
            .scratch_bytes = kColumns * column_bytes(layer),
            .in_place = conv.in_channels == conv.out_channels};
  HONE_TRY(std::string finish, add_finish(layer, step));
  step.calls = {{"hone_pixels",
                 {"x0", str(conv.batch * conv.window.out_pixels()), str(conv.in_channels),
                  str(conv.out_channels), "c0", std::move(finish), "y", "scratch"}}};
  return step;
}

// The call of a kernel that slides a window.
Result<Call> window_call(std::string_view kernel, const Weighted& layer, Step& step) {
  const ConvGeometry& conv = layer.conv;
  HONE_TRY(std::string finish, add_finish(layer, step));
  return Call{kernel,
              {window_text(conv.window, conv.batch, conv.in_channels, conv.out_channels),
               str(zero_of(layer.node.inputs[0])), "x0", "c0", std::move(finish), "y", "scratch"}};
}

Result<Step> window_step(const Weighted& layer) {
  const size_t column = column_bytes(layer);
  const bool grouped = layer.conv.groups > 1;
  Step step{.arrays = {panels_of(layer)}, .scratch_bytes = kColumns * column + column / 2};
  HONE_TRY(Call call, window_call(grouped ? "hone_grouped" : "hone_conv", layer, step));
  if (grouped) call.arguments.push_back(str(layer.conv.groups));
  step.calls = {std::move(call)};
  return step;
}

// The plane of one channel with its padding, and the taps of a channel in pairs, as depthwise.c has them.
size_t plane_bytes(const ConvGeometry& conv) {
  const auto reach = [](const WindowAxis& axis) {
    return (axis.out - 1) * axis.stride + (axis.kernel - 1) * axis.dilation + 1;
  };
  const WindowAxis& h = conv.window.axes[1];
  const WindowAxis& w = conv.window.axes[2];
  const int64_t values = reach(h) * ((reach(w) + 2) / 2 * 2) + h.kernel * rounded_up(w.kernel, 2);
  return 2 * static_cast<size_t>(values);
}

Result<Step> depthwise_step(const Weighted& layer) {
  const WindowAxis& h = layer.conv.window.axes[1];
  const WindowAxis& w = layer.conv.window.axes[2];
  Step step{.arrays = {taps_of(layer)},
            .scratch_bytes = plane_bytes(layer.conv),
            .in_place = h.in == h.out && w.in == w.out};
  HONE_TRY(Call call, window_call("hone_depthwise", layer, step));
  step.calls = {std::move(call)};
  return step;
}

bool is_one_row(const ConvGeometry& conv) {
  return conv.batch * conv.window.out_pixels() == 1 && conv.window.in_pixels() == 1;
}

Result<Step> weighted_step(const Weighted& layer) {
  const ConvGeometry& conv = layer.conv;
  if (layer.depthwise()) return depthwise_step(layer);
  if (conv.groups > 1) return window_step(layer);
  if (is_one_row(conv)) return dense_step(layer);
  if (takes_pixels(conv) && conv.in_channels % 4 == 0) return pixels_step(layer);
  return window_step(layer);
}

Result<Step> finished(Result<Step> step, const Node& node) {
  if (!step.ok()) return step;
  step->reads = {node.inputs[0]};
  step->write = node.outputs[0];
  return step;
}

Result<Step> emit_conv_node(const Node& node, const CompileOptions&) {
  HONE_RETURN_IF_ERROR(check_constants(node));
  const NodeContext context(*find_op(node.op), node);
  HONE_TRY(const ConvGeometry conv, conv_geometry(context, node.inputs[0]->type.tensor.shape,
                                                  node.inputs[1]->constant->shape()));
  if (!conv.nhwc || conv.window.rank > 2) {
    return unsupported("an image that is not [batch, height, width, channels]");
  }
  return finished(weighted_step({node, conv, centered_weights(node)}), node);
}

Result<Step> emit_gemm_node(const Node& node, const CompileOptions&) {
  HONE_RETURN_IF_ERROR(check_constants(node));
  const auto conv = dense_geometry(node);
  if (!conv) return unsupported("a gemm that is no fully connected layer");
  return finished(weighted_step({node, *conv, centered_weights(node)}), node);
}

}  // namespace

extern const EmitterDef emit_conv = {.op = "conv", .emit = emit_conv_node};
extern const EmitterDef emit_gemm = {.op = "gemm", .emit = emit_gemm_node};

}  // namespace hone::c_code
