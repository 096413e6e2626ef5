// Convolutions and fully connected layers with constant weights.

#include "hone/ops/quant/weighted.h"

#include "hone/targets/c_code/emitter.h"
#include "hone/targets/common/dense_geometry.h"

namespace hone::c_code {
namespace {

constexpr int64_t kMostTaps = 64;  // HONE_MOST_TAPS of depthwise.c.

struct Weighted {
  const Node& node;
  ConvGeometry conv;
  std::vector<int32_t> weights;  // Less their zero points: [out channels][taps][in channels].

  int64_t depth() const { return std::ssize(weights) / conv.out_channels; }
  int32_t weight(int64_t n, int64_t k) const {
    return weights[static_cast<size_t>(n * depth() + k)];
  }
};

int64_t rounded_up(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

Status check_constants(const Node& node) {
  HONE_RETURN_IF_ERROR(check_int8_operands(node, 1));
  const Value* weights = node.inputs[1];
  if (!weights->constant) return unsupported("weights that are computed");
  if (weights->constant->dtype() != DType::I8) {
    return unsupported("weights of ", weights->constant->dtype(), ", expected int8");
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

// Whether all factors are below 1/2, and no sum reaches 2^30: bytes are at most 128 in magnitude.
bool scales_down(const Weighted& layer, const std::vector<int32_t>& biases,
                 const std::vector<FixedPoint>& factors) {
  constexpr int64_t kMost = int64_t{1} << 30;
  for (int64_t n = 0; n < layer.conv.out_channels; ++n) {
    int64_t most = std::abs(int64_t{biases[static_cast<size_t>(n)]});
    for (int64_t k = 0; k < layer.depth(); ++k) {
      most += 128 * std::abs(int64_t{layer.weight(n, k)});
    }
    const int shift = factors[static_cast<size_t>(n)].shift;
    if (most >= kMost || shift > -1 || shift < -31) return false;
  }
  return true;
}

// Biases less what the zero point of x adds to every sum, multipliers and shifts, of whole pairs of
// channels. Gives what the kernel is told of them.
Result<std::string> add_finish(const Weighted& layer, Step& step) {
  const auto channels = static_cast<size_t>(layer.conv.out_channels);
  const auto padded = static_cast<size_t>(rounded_up(layer.conv.out_channels, 2));
  const Value* bias = input_of(layer.node, 2);
  const auto zero = static_cast<uint32_t>(zero_of(layer.node.inputs[0]));
  const std::vector<FixedPoint> factors = output_factors(
      layer.node.inputs[0]->type.tensor, layer.node.inputs[1]->constant->type(),
      layer.node.outputs[0]->type.tensor, layer.conv.out_channels, ScaleProduct::Double);
  std::vector<int32_t> biases(padded);
  std::vector<int32_t> multipliers(padded);
  std::vector<int8_t> shifts(padded);
  for (size_t n = 0; n < channels; ++n) {
    uint32_t sum = bias == nullptr ? 0 : static_cast<uint32_t>(bias->constant->data<int32_t>()[n]);
    for (int64_t k = 0; k < layer.depth(); ++k) {
      sum -= zero * static_cast<uint32_t>(layer.weight(static_cast<int64_t>(n), k));
    }
    biases[n] = static_cast<int32_t>(sum);
    multipliers[n] = factors[n].multiplier;
    shifts[n] = static_cast<int8_t>(factors[n].shift);
  }
  HONE_TRY(const IntRange range, output_range(layer.node));
  const bool down = scales_down(layer, biases, factors);
  const size_t first = step.arrays.size();
  step.arrays.push_back(biases);
  step.arrays.push_back(multipliers);
  step.arrays.push_back(shifts);
  return str("(hone_finish){c", first, ", c", first + 1, ", c", first + 2, ", ",
             zero_of(layer.node.outputs[0]), ", ", range.low, ", ", range.high, ", ", down ? 1 : 0,
             "}");
}

// Panels of two channels, a word of four values of k of each in turn.
Array panels_of(const Weighted& layer) {
  const int64_t k4 = rounded_up(layer.depth(), 4);
  std::vector<uint32_t> words;
  for (int64_t n = 0; n < layer.conv.out_channels; n += 2) {
    for (int64_t k = 0; k < k4; k += 4) {
      for (int64_t row = n; row < n + 2; ++row) {
        uint32_t word = 0;
        for (int64_t i = 0; i < 4 && row < layer.conv.out_channels; ++i) {
          if (k + i >= layer.depth()) break;
          word |= (static_cast<uint32_t>(layer.weight(row, k + i)) & 0xff) << (8 * i);
        }
        words.push_back(word);
      }
    }
  }
  return words;
}

// Pairs of taps of 16 bits, of channels 0, 2, 1 and 3 of every four.
Array tap_pairs_of(const Weighted& layer) {
  const int64_t taps = layer.depth();
  const auto weight = [&](int64_t channel, int64_t tap) -> uint32_t {
    const bool there = channel < layer.conv.out_channels && tap < taps;
    return there ? static_cast<uint32_t>(layer.weight(channel, tap)) & 0xffff : 0;
  };
  std::vector<uint32_t> words;
  for (int64_t c = 0; c < layer.conv.out_channels; c += 4) {
    for (int64_t tap = 0; tap < taps; tap += 2) {
      for (const int64_t lane : {0, 2, 1, 3}) {
        words.push_back(weight(c + lane, tap) | weight(c + lane, tap + 1) << 16);
      }
    }
  }
  return words;
}

// A window of one tap that takes every pixel.
bool takes_pixels(const ConvGeometry& conv) {
  const WindowAxis& h = conv.window.axes[1];
  const WindowAxis& w = conv.window.axes[2];
  return conv.window.taps() == 1 && h.stride == 1 && w.stride == 1 && h.pad_begin == 0 &&
         w.pad_begin == 0 && h.out == h.in && w.out == w.in;
}

Result<Step> dense_step(const Weighted& layer) {
  const auto k4 = static_cast<size_t>(rounded_up(layer.depth(), 4));
  Step step{.arrays = {panels_of(layer)}, .scratch_bytes = 2 * k4};
  HONE_TRY(std::string finish, add_finish(layer, step));
  step.calls = {{"hone_dense",
                 {"x0", str(layer.depth()), str(layer.conv.out_channels), "c0", std::move(finish),
                  "y", "scratch"}}};
  return step;
}

Result<Step> pixels_step(const Weighted& layer) {
  const ConvGeometry& conv = layer.conv;
  Step step{.arrays = {panels_of(layer)},
            .scratch_bytes = 4 * static_cast<size_t>(conv.in_channels),
            .rows = conv.window.axes[1]};
  HONE_TRY(std::string finish, add_finish(layer, step));
  step.calls = {
      {"hone_pixels",
       {"x0", str(conv.batch * conv.window.axes[2].out, " * rows.out"), str(conv.in_channels),
        str(conv.out_channels), "c0", std::move(finish), "y", "scratch"}}};
  return step;
}

// The call of a kernel that slides a window.
Result<Call> window_call(std::string_view kernel, const Weighted& layer, Step& step) {
  const ConvGeometry& conv = layer.conv;
  HONE_TRY(std::string finish, add_finish(layer, step));
  step.rows = conv.window.axes[1];
  return Call{kernel,
              {window_text(conv.window, conv.batch, conv.in_channels, conv.out_channels),
               str(zero_of(layer.node.inputs[0])), "x0", "c0", std::move(finish), "y", "scratch"}};
}

Result<Step> window_step(const Weighted& layer) {
  const auto k4 = static_cast<size_t>(rounded_up(layer.depth(), 4));
  Step step{.arrays = {panels_of(layer)}, .scratch_bytes = 5 * k4};
  HONE_TRY(Call call, window_call("hone_conv", layer, step));
  step.calls = {std::move(call)};
  return step;
}

Result<Step> depthwise_step(const Weighted& layer) {
  const ConvGeometry& conv = layer.conv;
  if (conv.window.taps() > kMostTaps) {
    return unsupported("a depthwise window of ", conv.window.taps(), " taps, expected at most ",
                       kMostTaps);
  }
  Step step{.arrays = {tap_pairs_of(layer)},
            .scratch_bytes = static_cast<size_t>(conv.in_channels)};
  HONE_TRY(Call call, window_call("hone_depthwise", layer, step));
  step.calls = {std::move(call)};
  return step;
}

bool is_one_row(const ConvGeometry& conv) {
  return conv.batch * conv.window.out_pixels() == 1 && conv.window.in_pixels() == 1;
}

Result<Step> weighted_step(const Weighted& layer) {
  const ConvGeometry& conv = layer.conv;
  if (conv.groups > 1) {
    const bool depthwise = conv.groups == conv.in_channels && conv.groups == conv.out_channels;
    if (!depthwise) {
      return unsupported("a convolution of ", conv.groups, " groups of several channels");
    }
    return depthwise_step(layer);
  }
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
