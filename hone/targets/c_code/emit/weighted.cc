// Convolutions and fully connected layers with constant weights.

#include "hone/targets/c_code/emitter.h"
#include "hone/targets/c_code/hvx_layer.h"
#include "hone/targets/c_code/panels.h"

namespace hone::c_code {
namespace {

constexpr int64_t kMostRows = 8;  // HONE_MOST_ROWS.

// How sums are scaled down by the kernels: 2 if all factors are below 1/2, 1 if some are, 0 if sums reach
// 2^30 or factors below 1/2 are below 2^-22.
int scales_down(const Weighted& layer) {
  constexpr int64_t kMost = int64_t{1} << 30;
  int result = 2;
  for (const int64_t n : layer.computed) {
    const int shift = layer.factors[static_cast<size_t>(n)].shift;
    const SumRange& sums = layer.sums[static_cast<size_t>(n)];
    if (sums.low <= -kMost || sums.high >= kMost || shift < -22) return 0;
    if (shift > -1) result = 1;
  }
  return result;
}

// Biases, multipliers, shifts and, where not all channels are computed, which are, and what the results of the
// others are. Gives what the kernel is told of them.
std::string add_finish(const Weighted& layer, Step& step, int64_t panel = kPair) {
  std::vector<int32_t> multipliers;
  std::vector<int8_t> shifts;
  for (const int64_t n : channels_in(panel, layer)) {
    const FixedPoint factor =
        n == kNoChannel ? FixedPoint{0, -1} : layer.factors[static_cast<size_t>(n)];
    multipliers.push_back(factor.multiplier);
    shifts.push_back(static_cast<int8_t>(factor.shift));
  }
  const auto added = [&](Array array) {
    step.arrays.push_back(std::move(array));
    return str("c", step.arrays.size() - 1);
  };
  std::string text = "(hone_finish){" + added(biases_in(panel, layer));
  text += ", " + added(multipliers);
  text += ", " + added(shifts);
  text += str(", ", zero_of(layer.node.outputs[0]), ", ", layer.range.low, ", ", layer.range.high,
              ", ", scales_down(layer), ", ", layer.computed.size(), ", ");
  if (std::ssize(layer.computed) == layer.conv.out_channels) return text + "0, 0}";
  text += added(std::vector<int32_t>(layer.computed.begin(), layer.computed.end()));
  return text + ", " + added(layer.results) + "}";
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

Result<Step> dense_step(const Weighted& layer, Blocks blocks) {
  Step step{.arrays = {blocks.panels(layer)}, .scratch_bytes = column_bytes(layer)};
  std::string finish = add_finish(layer, step, blocks.channels);
  step.calls = {{blocks.fours() ? "hone_dense_fours" : "hone_dense",
                 {"x0", str(layer.depth()), str(layer.conv.out_channels), "c0", std::move(finish),
                  "y", "scratch"}}};
  return step;
}

Result<Step> pixels_step(const Weighted& layer, Blocks blocks) {
  const ConvGeometry& conv = layer.conv;
  Step step{.arrays = {blocks.panels(layer)},
            .scratch_bytes = static_cast<size_t>(blocks.columns()) * column_bytes(layer),
            .pixels_together = blocks.columns(),
            .in_place = conv.in_channels == conv.out_channels,
            .rows = conv.window.axes[1]};
  std::string finish = add_finish(layer, step, blocks.channels);
  step.calls = {
      {blocks.fours() ? "hone_pixels_fours" : "hone_pixels",
       {"x0", str(conv.batch * conv.window.axes[2].out, " * rows.out"), str(conv.in_channels),
        str(conv.out_channels), "c0", std::move(finish), "y", "scratch"}}};
  return step;
}

// The call of a kernel that slides a window.
Result<Call> window_call(std::string_view kernel, const Weighted& layer, Step& step,
                         int64_t panel = kPair) {
  const ConvGeometry& conv = layer.conv;
  std::string finish = add_finish(layer, step, panel);
  step.rows = conv.window.axes[1];
  return Call{kernel,
              {window_text(conv.window, conv.batch, conv.in_channels, conv.out_channels),
               str(zero_of(layer.node.inputs[0])), "x0", "c0", std::move(finish), "y", "scratch"}};
}

Result<Step> window_step(const Weighted& layer, Blocks blocks) {
  const size_t column = column_bytes(layer);
  Step step{.arrays = {blocks.panels(layer)},
            .scratch_bytes = static_cast<size_t>(blocks.columns()) * column + column / 2,
            .pixels_together = blocks.columns()};
  const std::string_view kernel = blocks.fours() ? "hone_conv_fours" : "hone_conv";
  HONE_TRY(Call call, window_call(kernel, layer, step, blocks.channels));
  step.calls = {std::move(call)};
  return step;
}

Result<Step> grouped_step(const Weighted& layer) {
  HONE_TRY(Step step, window_step(layer, Blocks{}));
  step.calls[0].kernel = "hone_grouped";
  step.calls[0].arguments.push_back(str(layer.conv.groups));
  return step;
}

// [taps][channels].
Array channels_of_taps(const Weighted& layer) {
  std::vector<int8_t> values;
  for (int64_t k = 0; k < layer.depth(); ++k) {
    for (int64_t n = 0; n < layer.conv.out_channels; ++n) {
      values.push_back(static_cast<int8_t>(layer.weight(n, k)));
    }
  }
  return values;
}

// With rows under the windows copied before any of the same place is written, as depthwise_channels.c has it.
Result<Step> channels_step(const Weighted& layer) {
  const WindowAxis& h = layer.conv.window.axes[1];
  const WindowAxis& w = layer.conv.window.axes[2];
  const int64_t width = (w.out - 1) * w.stride + w.reach();
  Step step{.arrays = {channels_of_taps(layer)},
            .scratch_bytes = static_cast<size_t>(h.reach() * width * layer.conv.in_channels),
            .in_place = h.in == h.out && w.in == w.out && h.stride == 1 && h.pad_begin < h.reach()};
  HONE_TRY(Call call, window_call("hone_depthwise_channels", layer, step));
  step.calls = {std::move(call)};
  return step;
}

// The plane of one channel with its padding, and the taps of a channel in pairs, as depthwise.c has them.
size_t plane_bytes(const ConvGeometry& conv, int64_t rows) {
  const WindowAxis& h = conv.window.axes[1];
  const WindowAxis& w = conv.window.axes[2];
  const int64_t height = (rows - 1) * h.stride + (h.kernel - 1) * h.dilation + 1;
  const int64_t width = (w.out - 1) * w.stride + (w.kernel - 1) * w.dilation + 1;
  const int64_t values = height * ((width + 2) / 2 * 2) + h.kernel * rounded_up(w.kernel, 2);
  return 2 * static_cast<size_t>(values);
}

Result<Step> depthwise_step(const Weighted& layer) {
  const WindowAxis& h = layer.conv.window.axes[1];
  const WindowAxis& w = layer.conv.window.axes[2];
  Step step{.arrays = {taps_of(layer)},
            .scratch_bytes = plane_bytes(layer.conv, h.out),
            .row_scratch_bytes = plane_bytes(layer.conv, 1),
            .in_place = h.in == h.out && w.in == w.out};
  HONE_TRY(Call call, window_call("hone_depthwise", layer, step));
  step.calls = {std::move(call)};
  return step;
}

// One pixel of one, by a window of no more: a larger one meets padding.
bool is_one_row(const ConvGeometry& conv) {
  return conv.batch * conv.window.out_pixels() == 1 && conv.window.in_pixels() == 1 &&
         conv.window.taps() == 1;
}

Result<Step> weighted_step(const Weighted& layer, CoreKernels core) {
  const ConvGeometry& conv = layer.conv;
  if (layer.depthwise()) {
    const bool channels = core.channels && conv.window.axes[1].kernel <= kMostRows;
    return channels ? channels_step(layer) : depthwise_step(layer);
  }
  if (conv.groups > 1) return grouped_step(layer);
  const Blocks blocks = blocks_of(layer, core);
  if (is_one_row(conv)) return dense_step(layer, blocks);
  if (takes_pixels(conv) && conv.in_channels % 4 == 0) return pixels_step(layer, blocks);
  return window_step(layer, blocks);
}

Result<Step> finished(Result<Step> step, const Node& node) {
  if (!step.ok()) return step;
  step->reads = {node.inputs[0]};
  step->write = node.outputs[0];
  return step;
}

Result<Step> emit_weighted_node(const Node& node, const EmitOptions& options) {
  HONE_TRY(const Weighted layer, weighted_layer(node, options));
  if (options.core.hvx) {
    if (auto step = hvx_step(layer)) return finished(*std::move(step), node);
  }
  return finished(weighted_step(layer, options.core), node);
}

}  // namespace

extern const EmitterDef emit_conv = {.op = "conv", .emit = emit_weighted_node};
extern const EmitterDef emit_gemm = {.op = "gemm", .emit = emit_weighted_node};

}  // namespace hone::c_code
