#include "hone/quantize/quantize_weights.h"

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

// Which scale each weight has.
struct Grouping {
  Shape shape;  // Of the scales.
  int64_t axis = 0;
  int64_t block_size = 0;

  static Grouping of(const Tensor& weights, WeightAxes axes, const Scheme& scheme) {
    const Shape& shape = weights.shape();
    const auto channels = static_cast<size_t>(axes.channels);
    const auto inputs = static_cast<size_t>(axes.inputs);
    if (scheme.block_size > 0 && shape[inputs] > scheme.block_size) {
      Grouping blocks{shape, axes.inputs, scheme.block_size};
      blocks.shape[inputs] = (shape[inputs] + scheme.block_size - 1) / scheme.block_size;
      return blocks;
    }
    if (scheme.per_channel) return {{shape[channels]}, axes.channels, 0};
    return {{}, 0, 0};
  }

  // The scale of weight `index` of a tensor of the shape.
  size_t operator()(size_t index, const Shape& weights) const {
    if (shape.empty()) return 0;
    size_t inner = 1;
    const auto along = static_cast<size_t>(axis);
    for (size_t i = along + 1; i < weights.size(); ++i) inner *= static_cast<size_t>(weights[i]);
    const auto extent = static_cast<size_t>(weights[along]);
    const size_t at = index / inner % extent;
    if (block_size == 0) return at;
    const size_t block = at / static_cast<size_t>(block_size);
    const size_t blocks = static_cast<size_t>(shape[along]);
    return (index / inner / extent * blocks + block) * inner + index % inner;
  }
};

// The part of the largest magnitude at which clipping and rounding cost least together.
float best_part(std::span<const float> weights, float largest, float limit) {
  float best = 1;
  double least = -1;
  for (int step = 20; step <= 40; ++step) {
    const float part = static_cast<float>(step) / 40;
    const float scale = largest * part / limit;
    double error = 0;
    for (const float w : weights) {
      const double stored = std::clamp(std::round(w / scale), -limit, limit);
      const double off = w - stored * scale;
      error += off * off;
    }
    if (least < 0 || error < least) {
      least = error;
      best = part;
    }
  }
  return best;
}

// Of weights that are all zero any scale will do. The bias is counted in it, too: not a coarse one.
void fill_empty(std::vector<float>& scales, std::span<const float> least) {
  const float largest = *std::ranges::max_element(scales);
  for (size_t i = 0; i < scales.size(); ++i) {
    if (scales[i] == 0) scales[i] = largest;
    if (!least.empty()) scales[i] = std::max(scales[i], least[i]);
    if (scales[i] == 0) scales[i] = 1;
  }
}

// One for each scale, from one for each channel.
std::vector<float> least_of(std::span<const float> least, const Grouping& group) {
  if (least.empty() || group.block_size > 0) return {};
  if (group.shape.empty()) return {*std::ranges::max_element(least)};
  return {least.begin(), least.end()};
}

std::vector<float> scales_of(const Tensor& weights, const Grouping& group, const Scheme& scheme,
                             std::span<const float> least) {
  std::vector<float> scales(static_cast<size_t>(elements(group.shape)));
  const auto w = weights.data<float>();
  const auto limit = static_cast<float>(weight_limit(scheme));
  std::vector<std::vector<float>> members(scheme.weights == DType::I4 ? scales.size() : 0);
  for (size_t i = 0; i < w.size(); ++i) {
    const size_t at = group(i, weights.shape());
    scales[at] = std::max(scales[at], std::abs(w[i]));
    if (!members.empty()) members[at].push_back(w[i]);
  }
  for (size_t i = 0; i < scales.size(); ++i) {
    const float part = members.empty() ? 1 : best_part(members[i], scales[i], limit);
    scales[i] = scales[i] * part / limit;
    if (!(scales[i] >= std::numeric_limits<float>::min())) scales[i] = 0;
  }
  if (!scales.empty()) fill_empty(scales, least_of(least, group));
  if (scheme.power_of_two) std::ranges::transform(scales, scales.begin(), power_of_two_above);
  return scales;
}

Tensor stored_as(DType dtype, const Shape& shape, const std::vector<int8_t>& values) {
  if (dtype == DType::I4) return pack_small(TensorType{DType::I4, shape}, values);
  Tensor tensor(TensorType{dtype, shape});
  const auto bytes = tensor.mutable_bytes();
  for (size_t i = 0; i < values.size(); ++i) {
    const int value = dtype == DType::U8 ? values[i] + 128 : values[i];
    bytes[i] = static_cast<std::byte>(value);
  }
  return tensor;
}

}  // namespace

QuantizedWeights quantize_weights(const Tensor& weights, WeightAxes axes, const Scheme& scheme,
                                  std::span<const float> least) {
  const Grouping group = Grouping::of(weights, axes, scheme);
  const std::vector<float> scales = scales_of(weights, group, scheme, least);
  const auto limit = static_cast<float>(weight_limit(scheme));
  const auto w = weights.data<float>();
  std::vector<int8_t> values(w.size());
  for (size_t i = 0; i < w.size(); ++i) {
    const float steps = std::round(w[i] / scales[group(i, weights.shape())]);
    values[i] = static_cast<int8_t>(std::clamp(steps, -limit, limit));
  }
  QuantizedWeights result;
  result.stored = stored_as(scheme.weights, weights.shape(), values);
  result.scale = Tensor::of<float>(group.shape, scales);
  result.zero_point =
      stored_as(scheme.weights, group.shape, std::vector<int8_t>(scales.size(), int8_t{0}));
  result.axis = group.axis;
  result.block_size = group.block_size;
  return result;
}

}  // namespace hone
