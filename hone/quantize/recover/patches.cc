#include "hone/quantize/recover/patches.h"

#include <algorithm>
#include <random>

#include "hone/ops/op_def.h"

namespace hone {

Result<Patches> Patches::make(const ProductLayer& layer, const Shape& input) {
  Patches patches;
  patches.layer_ = layer;
  patches.conv_ = layer.node->op == "conv";
  if (!patches.conv_) {
    if (input.empty() || input.back() != static_cast<int64_t>(layer.inputs)) {
      return bad_input("an input of ", text_of(input), ", expected rows of ", layer.inputs);
    }
    patches.rows_ = elements(input) / input.back();
    return patches;
  }
  const NodeContext context(*find_op("conv"), *layer.node);
  const Shape& weights = layer.node->inputs[kLayerWeight]->type.tensor.shape;
  HONE_TRY(patches.geometry_, conv_geometry(context, input, weights));
  patches.rows_ = patches.geometry_.batch * patches.geometry_.window.out_pixels();
  return patches;
}

void Patches::read_inputs(std::span<const float> x, int64_t row, float* to) const {
  if (conv_) return read_window(x, row, to);
  std::copy_n(x.begin() + row * static_cast<int64_t>(layer_.inputs), layer_.inputs, to);
}

void Patches::read_window(std::span<const float> x, int64_t row, float* to) const {
  const auto& [depth, height, width] = geometry_.window.axes;
  const int64_t pixels = geometry_.window.out_pixels();
  const int64_t batch = row / pixels;
  const int64_t od = row % pixels / (height.out * width.out);
  const int64_t oh = row % pixels / width.out % height.out;
  const int64_t ow = row % width.out;
  const int64_t taps = geometry_.window.taps();
  const int64_t channels = geometry_.in_channels;
  const int64_t per_group = channels / geometry_.groups;
  const int64_t image = geometry_.window.in_pixels();
  for (int64_t tap = 0; tap < taps; ++tap) {
    const int64_t d = depth.source(od, tap / (height.kernel * width.kernel));
    const int64_t h = height.source(oh, tap / width.kernel % height.kernel);
    const int64_t w = width.source(ow, tap % width.kernel);
    const bool inside = d >= 0 && d < depth.in && h >= 0 && h < height.in && w >= 0 && w < width.in;
    const int64_t pixel = (d * height.in + h) * width.in + w;
    for (int64_t c = 0; c < channels; ++c) {
      const int64_t from = geometry_.nhwc ? (batch * image + pixel) * channels + c
                                          : (batch * channels + c) * image + pixel;
      const int64_t local = c % per_group;
      const int64_t input = geometry_.nhwc ? tap * per_group + local : local * taps + tap;
      to[c / per_group * per_group * taps + input] = inside ? x[static_cast<size_t>(from)] : 0;
    }
  }
}

void Patches::read_outputs(std::span<const float> y, int64_t row, float* to) const {
  const size_t channels = layer_.channels();
  if (!conv_ || geometry_.nhwc) {
    std::copy_n(y.begin() + row * static_cast<int64_t>(channels), channels, to);
    return;
  }
  const int64_t pixels = geometry_.window.out_pixels();
  const auto first =
      static_cast<size_t>(row / pixels * pixels) * channels + static_cast<size_t>(row % pixels);
  for (size_t c = 0; c < channels; ++c) to[c] = y[first + c * static_cast<size_t>(pixels)];
}

std::vector<int64_t> spread_rows(int64_t count, int64_t wanted, uint64_t seed) {
  std::vector<int64_t> rows;
  if (wanted >= count) {
    for (int64_t i = 0; i < count; ++i) rows.push_back(i);
    return rows;
  }
  std::mt19937_64 random(seed);
  for (int64_t i = 0; i < wanted; ++i) {
    const int64_t begin = i * count / wanted;
    const int64_t end = (i + 1) * count / wanted;
    rows.push_back(begin + static_cast<int64_t>(random() % static_cast<uint64_t>(end - begin)));
  }
  return rows;
}

}  // namespace hone
