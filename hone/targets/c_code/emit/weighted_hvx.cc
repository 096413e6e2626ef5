#include "hone/targets/c_code/hvx_layer.h"

namespace hone::c_code {
namespace {

constexpr int64_t kLanes = 32;         // Words of a vector.
constexpr int64_t kTile = 4 * kLanes;  // Channels that are multiplied at a time,
constexpr int64_t kTilePixels = 4;     // and pixels: HONE_HVX_PIXELS.
constexpr int64_t kDepth = 8;          // Of weights.
constexpr int64_t kVectorBytes = 128;
constexpr int64_t kMostWindowRows = 8;  // HONE_MOST_ROWS.
constexpr int kTapsOfWord = 4;
constexpr int32_t kSmallest = 128;  // What makes a byte unsigned.

bool scales_as_vectors(const Weighted& layer) {
  constexpr int64_t kMost = int64_t{1} << 30;
  for (const int64_t n : layer.computed) {
    const int shift = layer.factors[static_cast<size_t>(n)].shift;
    const SumRange& sums = layer.sums[static_cast<size_t>(n)];
    if (sums.low <= -kMost || sums.high >= kMost || shift < -22 || shift > -1) return false;
  }
  return true;
}

// What becomes of sums, by channel.
struct VectorFinish {
  std::vector<int32_t> biases = {};
  std::vector<int32_t> multipliers = {};
  std::vector<int32_t> offsets = {};
  std::vector<int32_t> shifts = {};

  void add(const Weighted& layer, int64_t n, int32_t bias) {
    const FixedPoint factor = layer.factors[static_cast<size_t>(n)];
    const int bits = -factor.shift;
    biases.push_back(bias);
    multipliers.push_back(factor.multiplier);
    shifts.push_back(bits);
    offsets.push_back((1 << (bits - 1)) + zero_of(layer.node.outputs[0]) * (1 << bits));
  }
  // A channel that has one result.
  void add_only(int8_t result) {
    biases.push_back(0);
    multipliers.push_back(0);
    shifts.push_back(1);
    offsets.push_back(2 * result);
  }
  // Adds the arrays to those of the step: "(hone_hvx_finish){c1, c2, c3, c4, -128, 127, 1}".
  std::string add_to(Step& step, const Weighted& layer) const {
    const auto added = [&](const std::vector<int32_t>& list) {
      step.arrays.push_back(list);
      return str("c", step.arrays.size() - 1, ", ");
    };
    std::string text = "(hone_hvx_finish){" + added(biases);
    text += added(multipliers);
    text += added(offsets);
    text += added(shifts);
    const IntRange& range = layer.range;
    const bool below = range.low < zero_of(layer.node.outputs[0]);
    return text + str(range.low, ", ", range.high, ", ", below ? 1 : 0, "}");
  }
};

// Of no more channels than half the lanes two pixels are scaled at a time: the second has the other half. Lanes without
// a channel have no bias: their sums are those of pixels' bytes.
VectorFinish product_finish(const Weighted& layer) {
  VectorFinish finish;
  const int64_t channels = layer.conv.out_channels;
  constexpr int64_t kHalf = kLanes / 2;
  for (int64_t lane = 0; lane < rounded_up(channels, kLanes); ++lane) {
    const int64_t n = channels <= kHalf ? lane % kHalf : lane;
    if (std::ranges::find(layer.computed, n) != layer.computed.end()) {
      const int32_t bias = lane == n ? layer.biases[static_cast<size_t>(n)] : 0;
      finish.add(layer, n, bias);
    } else {
      finish.add_only(n < channels ? layer.results[static_cast<size_t>(n)] : int8_t{0});
    }
  }
  return finish;
}

// The weight, less the smallest byte; where there is none, what stands for 0.
int8_t unsigned_weight(const Weighted& layer, int64_t n, int64_t k) {
  const bool there = n < layer.conv.out_channels && k < layer.depth();
  return static_cast<int8_t>((there ? layer.weight(n, k) : 0) + kSmallest);
}

std::vector<int8_t> product_weights(const Weighted& layer) {
  std::vector<int8_t> bytes;
  for (int64_t tile = 0; tile < layer.conv.out_channels; tile += kTile) {
    const int64_t end = tile + std::min(kTile, rounded_up(layer.conv.out_channels - tile, kLanes));
    for (int64_t k = 0; k < rounded_up(layer.depth(), kDepth); k += kTapsOfWord) {
      for (int64_t n = tile; n < end; ++n) {
        for (int64_t i = 0; i < kTapsOfWord; ++i) bytes.push_back(unsigned_weight(layer, n, k + i));
      }
    }
  }
  return bytes;
}

// As of hone_hvx_pixels: pixels lie where words of eight bytes do.
bool takes_whole_pixels(const ConvGeometry& conv) {
  const WindowAxis& h = conv.window.axes[1];
  const WindowAxis& w = conv.window.axes[2];
  return conv.window.taps() == 1 && h.stride == 1 && w.stride == 1 && h.pad_begin == 0 &&
         w.pad_begin == 0 && h.out == h.in && w.out == w.in && conv.in_channels % kDepth == 0;
}

// So many rows under windows, with their padding, and what is read behind them.
int64_t rows_bytes(const ConvGeometry& conv, int64_t rows) {
  const WindowAxis& w = conv.window.axes[2];
  const int64_t bytes = ((w.out - 1) * w.stride + w.reach()) * conv.in_channels;
  const int64_t pitch = rounded_up(bytes + kVectorBytes, kVectorBytes);
  return rows * pitch + 2 * kVectorBytes;
}

Step hvx_product_step(const Weighted& layer) {
  const ConvGeometry& conv = layer.conv;
  Step step{.arrays = {product_weights(layer)},
            .rows = conv.window.axes[1],
            .panels = ChannelPanels{
                .channels = conv.out_channels,
                .in_panel = kTile,
                .panel_bytes = static_cast<size_t>(kTile * rounded_up(layer.depth(), kDepth))}};
  std::string finish = product_finish(layer).add_to(step, layer);
  if (takes_whole_pixels(conv)) {
    step.pixels_together = kTilePixels;
    step.calls = {
        {"hone_hvx_pixels",
         {"x0", str(conv.batch * conv.window.axes[2].out, " * rows.out"), str(conv.in_channels),
          str(conv.out_channels), "part", "c0", std::move(finish), "y"}}};
    return step;
  }
  const int64_t pixels = kTilePixels * rounded_up(layer.depth(), kDepth);
  step.scratch_bytes = static_cast<size_t>(rounded_up(pixels + kVectorBytes, kVectorBytes) +
                                           rows_bytes(conv, conv.window.axes[1].reach()));
  step.calls = {{"hone_hvx_conv",
                 {window_text(conv.window, conv.batch, conv.in_channels, conv.out_channels),
                  str(zero_of(layer.node.inputs[0])), "x0", "part", "c0", std::move(finish), "y",
                  "scratch"}}};
  return step;
}

// [rows of taps][four taps at a time][channels and 128 of them again][taps].
std::vector<int8_t> depthwise_weights(const Weighted& layer) {
  const int64_t channels = layer.conv.out_channels;
  const int64_t columns = layer.conv.window.axes[2].kernel;
  std::vector<int8_t> bytes;
  for (int64_t row = 0; row < layer.conv.window.axes[1].kernel; ++row) {
    for (int64_t column = 0; column < columns; column += kTapsOfWord) {
      for (int64_t n = 0; n < channels + kVectorBytes; ++n) {
        for (int64_t i = column; i < column + kTapsOfWord; ++i) {
          const int32_t w = i < columns ? layer.weight(n % channels, row * columns + i) : 0;
          bytes.push_back(static_cast<int8_t>(w));
        }
      }
    }
  }
  return bytes;
}

// Bytes of x are made unsigned there, so that sums have 128 times those of the weights besides.
VectorFinish depthwise_finish(const Weighted& layer) {
  VectorFinish finish;
  const int64_t channels = layer.conv.out_channels;
  for (int64_t n = 0; n < channels + kVectorBytes; ++n) {
    const int64_t channel = n % channels;
    auto bias = static_cast<uint32_t>(layer.biases[static_cast<size_t>(channel)]);
    for (int64_t k = 0; k < layer.depth(); ++k) {
      bias -= static_cast<uint32_t>(kSmallest * layer.weight(channel, k));
    }
    finish.add(layer, channel, static_cast<int32_t>(bias));
  }
  return finish;
}

Step hvx_depthwise_step(const Weighted& layer) {
  const ConvGeometry& conv = layer.conv;
  const WindowAxis& h = conv.window.axes[1];
  Step step{.arrays = {depthwise_weights(layer)},
            .scratch_bytes = static_cast<size_t>(rows_bytes(conv, h.reach() + 1)),
            .rows = h};
  std::string finish = depthwise_finish(layer).add_to(step, layer);
  step.calls = {
      {"hone_hvx_depthwise",
       {window_text(conv.window, conv.batch, conv.in_channels, conv.out_channels),
        str(zero_of(layer.node.inputs[0])), "x0", "c0", std::move(finish), "y", "scratch"}}};
  return step;
}

// As a layer without groups, with weights of 0 between them: vectors do a hundred times the products of scalar code.
Weighted without_groups(const Weighted& layer) {
  Weighted whole = layer;
  const ConvGeometry& conv = layer.conv;
  const int64_t taps = conv.window.taps(), group_in = conv.in_channels / conv.groups;
  const int64_t group_out = conv.out_channels / conv.groups;
  whole.conv.groups = 1;
  whole.weights.assign(static_cast<size_t>(conv.out_channels * taps * conv.in_channels), 0);
  for (int64_t n = 0; n < conv.out_channels; ++n) {
    for (int64_t tap = 0; tap < taps; ++tap) {
      const auto from = layer.weights.begin() + (n * taps + tap) * group_in;
      const int64_t first = n / group_out * group_in;
      std::copy_n(from, group_in,
                  whole.weights.begin() + (n * taps + tap) * conv.in_channels + first);
    }
  }
  return whole;
}

}  // namespace

std::optional<Step> hvx_step(const Weighted& layer) {
  if (!scales_as_vectors(layer)) return std::nullopt;
  if (layer.depthwise()) {
    const bool fits = layer.conv.window.axes[1].kernel <= kMostWindowRows;
    return fits ? std::optional(hvx_depthwise_step(layer)) : std::nullopt;
  }
  if (layer.conv.groups == 1) return hvx_product_step(layer);
  if (layer.conv.groups > kMostHvxGroups) return std::nullopt;
  Step step = hvx_product_step(without_groups(layer));
  step.groups = layer.conv.groups;
  return step;
}

}  // namespace hone::c_code
