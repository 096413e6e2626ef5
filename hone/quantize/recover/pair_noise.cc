#include "hone/quantize/recover/pair_noise.h"

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

double rounding_error(double value, double step) {
  return step > 0 ? value - std::round(value / step) * step : 0;
}

// Of each channel, or of all together, from their ranges.
std::vector<double> steps_of(std::vector<double> ranges, const PairPrecision& precision) {
  if (!precision.per_channel) std::ranges::fill(ranges, std::ranges::max(ranges));
  const double top = std::exp2(precision.weight_bits - 1) - 1;
  for (double& range : ranges) range /= top;
  return ranges;
}

// What rounding the first layer's weights adds to each channel, in units before it is divided.
std::vector<double> noise_of_first(const ScaledLayer& first, std::span<const double> factors,
                                   const PairPrecision& precision) {
  std::vector<double> ranges;
  for (size_t c = 0; c < factors.size(); ++c) ranges.push_back(range_out(first, c) / factors[c]);
  const std::vector<double> steps = steps_of(std::move(ranges), precision);
  const ProductLayer& layer = first.layer;
  const auto w = first.weight.data<float>();
  std::vector<double> noise(factors.size());
  for (size_t c = 0; c < noise.size(); ++c) {
    const size_t group = c / layer.outputs;
    for (size_t i = 0; i < layer.inputs; ++i) {
      const double weight = w[layer.weight_at(group, c % layer.outputs, i)] / factors[c];
      const double error = rounding_error(weight, steps[c]) * factors[c];
      const size_t channel = group * first.in.per_group + first.in.channel_of(i);
      noise[c] += error * error * first.input_squares[channel];
    }
  }
  return noise;
}

// What rounding the second layer's weights adds to all its channels.
double noise_of_second(const ScaledLayer& second, std::span<const double> factors,
                       const PairPrecision& precision) {
  const ProductLayer& layer = second.layer;
  const auto w = second.weight.data<float>();
  // Calls fn(output, channel, weight).
  const auto for_weights = [&](const auto& fn) {
    for (size_t o = 0; o < layer.channels(); ++o) {
      const size_t group = o / layer.outputs;
      for (size_t i = 0; i < layer.inputs; ++i) {
        const size_t channel = group * second.in.per_group + second.in.channel_of(i);
        fn(o, channel, w[layer.weight_at(group, o % layer.outputs, i)] * factors[channel]);
      }
    }
  };
  std::vector<double> ranges(layer.channels());
  for_weights(
      [&](size_t o, size_t, double weight) { ranges[o] = std::max(ranges[o], std::abs(weight)); });
  const std::vector<double> steps = steps_of(std::move(ranges), precision);
  double noise = 0;
  for_weights([&](size_t o, size_t channel, double weight) {
    const double error = rounding_error(weight, steps[o]) / factors[channel];
    noise += error * error * second.input_squares[channel];
  });
  return noise;
}

}  // namespace

double pair_noise(const ScaledLayer& first, const ScaledLayer& second,
                  std::span<const double> largest, std::span<const double> factors,
                  const PairPrecision& precision) {
  double step = 0;
  for (size_t c = 0; c < factors.size() && precision.activation_bits > 0; ++c) {
    step = std::max(step, largest[c] / factors[c] / (std::exp2(precision.activation_bits) - 1));
  }
  const std::vector<double> noise = noise_of_first(first, factors, precision);
  const auto w = second.weight.data<float>();
  double sum = noise_of_second(second, factors, precision);
  for (size_t c = 0; c < factors.size(); ++c) {
    double weights = 0;
    for_input(second, c, [&](size_t i) { weights += double{w[i]} * w[i]; });
    sum += weights * (noise[c] + factors[c] * factors[c] * step * step / 12);
  }
  return sum;
}

}  // namespace hone
