// Convolutions and fully connected layers with constant weights.

#include "hone/targets/c_code/emitter.h"
#include "hone/targets/c_code/hvx_layer.h"
#include "hone/targets/c_code/weighted_layer.h"

namespace hone::c_code {
namespace {

constexpr int64_t kDepthUnit = 8;  // Of the weights in product.c.
constexpr int64_t kMostRows = 8;   // HONE_MOST_ROWS.

// Channels of a panel: as product.c has them, and as fours.c does.
constexpr int64_t kPair = 2;
constexpr int64_t kFours = 4;
constexpr int64_t kNoChannel = -1;

// The computed channels as the kernels take them: those of a group are filled up to whole panels.
std::vector<int64_t> channels_in(int64_t panel, const Weighted& layer) {
  const bool grouped = layer.conv.groups > 1 && !layer.depthwise();
  const int64_t own =
      grouped ? layer.conv.out_channels / layer.conv.groups : std::ssize(layer.computed);
  std::vector<int64_t> channels;
  for (int64_t i = 0; i < std::ssize(layer.computed); ++i) {
    channels.push_back(layer.computed[static_cast<size_t>(i)]);
    if (i % own < own - 1) continue;
    while (std::ssize(channels) % panel != 0) channels.push_back(kNoChannel);
  }
  return channels;
}

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

// Of two sums the second has 256 times its own and the first's.
void add_firsts(std::vector<int32_t>& biases) {
  for (size_t i = 0; i < biases.size(); i += 2) {
    const auto first = static_cast<uint32_t>(biases[i]);
    biases[i + 1] = static_cast<int32_t>(256 * static_cast<uint32_t>(biases[i + 1]) + first);
  }
}

// Biases, multipliers, shifts and, where not all channels are computed, which are, and what the results of the
// others are. Gives what the kernel is told of them.
std::string add_finish(const Weighted& layer, Step& step, int64_t panel = kPair) {
  std::vector<int32_t> biases;
  std::vector<int32_t> multipliers;
  std::vector<int8_t> shifts;
  for (const int64_t n : channels_in(panel, layer)) {
    biases.push_back(n == kNoChannel ? 0 : layer.biases[static_cast<size_t>(n)]);
    const FixedPoint factor =
        n == kNoChannel ? FixedPoint{0, -1} : layer.factors[static_cast<size_t>(n)];
    multipliers.push_back(factor.multiplier);
    shifts.push_back(static_cast<int8_t>(factor.shift));
  }
  if (panel == kFours) add_firsts(biases);
  const auto added = [&](Array array) {
    step.arrays.push_back(std::move(array));
    return str("c", step.arrays.size() - 1);
  };
  std::string text = "(hone_finish){" + added(biases);
  text += ", " + added(multipliers);
  text += ", " + added(shifts);
  text += str(", ", zero_of(layer.node.outputs[0]), ", ", layer.range.low, ", ", layer.range.high,
              ", ", scales_down(layer), ", ", layer.computed.size(), ", ");
  if (std::ssize(layer.computed) == layer.conv.out_channels) return text + "0, 0}";
  text += added(std::vector<int32_t>(layer.computed.begin(), layer.computed.end()));
  return text + ", " + added(layer.results) + "}";
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
Array pairs_of(const Weighted& layer) {
  const std::vector<int64_t> channels = channels_in(kPair, layer);
  std::vector<uint32_t> words;
  for (size_t place = 0; place < channels.size(); place += 2) {
    for (int64_t k = 0; k < rounded_up(layer.depth(), kDepthUnit); k += 4) {
      words.push_back(weight_word(layer, channels[place], k));
      words.push_back(weight_word(layer, channels[place + 1], k));
    }
  }
  return words;
}

int32_t weight_or_zero(const Weighted& layer, int64_t n, int64_t k) {
  return n == kNoChannel || k >= layer.depth() ? 0 : layer.weight(n, k);
}

// Two channels' weights of one value of k in 16 bits, as fours.c has them.
uint32_t both_weights(const Weighted& layer, int64_t first, int64_t second, int64_t k) {
  const int32_t both = 256 * weight_or_zero(layer, second, k) + weight_or_zero(layer, first, k);
  return static_cast<uint32_t>(both) & 0xffff;
}

// Panels of four channels: of four values of k those of 0 and 2 of each two channels, then those of 1 and 3.
Array fours_of(const Weighted& layer) {
  const std::vector<int64_t> channels = channels_in(kFours, layer);
  std::vector<uint32_t> words;
  for (size_t place = 0; place < channels.size(); place += kFours) {
    for (int64_t k = 0; k < rounded_up(layer.depth(), kDepthUnit); k += 4) {
      for (const int64_t at : {k, k + 1}) {
        for (const size_t first : {place, place + 2}) {
          words.push_back(both_weights(layer, channels[first], channels[first + 1], at) |
                          both_weights(layer, channels[first], channels[first + 1], at + 2) << 16);
        }
      }
    }
  }
  return words;
}

// Whether sums and weights of every second channel are as small as fours.c needs them.
bool fits_fours(const Weighted& layer) {
  constexpr int64_t kMost = int64_t{1} << 23;
  const std::vector<int64_t> channels = channels_in(kFours, layer);
  for (size_t i = 0; i < channels.size(); i += 2) {
    const int64_t first = channels[i], second = channels[i + 1];
    if (second == kNoChannel) continue;
    const SumRange& sums = layer.sums[static_cast<size_t>(second)];
    if (sums.low < -kMost || sums.high >= kMost) return false;
    for (int64_t k = 0; k < layer.depth(); ++k) {
      if (layer.weight(second, k) == -128 && layer.weight(first, k) < 0) return false;
    }
  }
  return true;
}

// The kernels for a layer: panels of four channels or of two.
struct Blocks {
  int64_t channels = kPair;

  bool fours() const { return channels == kFours; }
  // That a kernel takes at a time: HONE_PAIR_COLUMNS, HONE_COLUMNS.
  int64_t columns() const { return fours() ? 2 : 3; }
  Array panels(const Weighted& layer) const { return fours() ? fours_of(layer) : pairs_of(layer); }
};

Blocks blocks_of(const Weighted& layer, CoreKernels core) {
  const bool enough = layer.conv.groups == 1 && layer.computed.size() > 2;
  return {core.fours && enough && fits_fours(layer) ? kFours : kPair};
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
    if (auto step = hvx_step(layer, options.eval.rounding)) return finished(*std::move(step), node);
  }
  return finished(weighted_step(layer, options.core), node);
}

}  // namespace

extern const EmitterDef emit_conv = {.op = "conv", .emit = emit_weighted_node};
extern const EmitterDef emit_gemm = {.op = "gemm", .emit = emit_weighted_node};

}  // namespace hone::c_code
