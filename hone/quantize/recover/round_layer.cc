#include "hone/quantize/recover/round_layer.h"

#include <algorithm>
#include <cmath>

#include "hone/base/parallel.h"
#include "hone/passes/match.h"
#include "hone/quantize/recover/bias.h"
#include "hone/quantize/recover/round_weights.h"
#include "hone/quantize/recover/weight_codes.h"

namespace hone {
namespace {

// The layer's weights in the order of the sums: groups x inputs x outputs.
template <class Fn>
Tensor in_order(const ProductLayer& layer, Fn&& weight) {
  Tensor tensor(TensorType{DType::F32,
                           {static_cast<int64_t>(layer.groups), static_cast<int64_t>(layer.inputs),
                            static_cast<int64_t>(layer.outputs)}});
  const auto to = tensor.mutable_data<float>();
  for (size_t g = 0; g < layer.groups; ++g) {
    for (size_t i = 0; i < layer.inputs; ++i) {
      for (size_t o = 0; o < layer.outputs; ++o) {
        to[(g * layer.inputs + i) * layer.outputs + o] = weight(layer.weight_at(g, o, i));
      }
    }
  }
  return tensor;
}

// The code on the other side of the real weight. The same where there is none: at codes that the
// weight lies on or is cut off at, and at the end of the range.
int32_t other_code(const WeightCodes& codes, size_t i, float weight) {
  constexpr double kOneStep = 0.999;  // Weights on a code are off it by a rounding error.
  const double exact = double{weight} / codes.scales[i] + codes.zeros[i];
  const int32_t code = codes.codes[i];
  const int32_t other = exact > code ? code + 1 : code - 1;
  const bool beside = std::abs(exact - code) < 1 && std::abs(exact - other) < kOneStep;
  return beside && other >= codes.low && other <= codes.high ? other : code;
}

// What comes of one channel.
struct ChannelResult {
  int64_t flips = 0;
  double before = 0;  // Mean squared error.
  double after = 0;
  double square = 0;  // Of the wanted result.
};

class LayerRounder {
 public:
  LayerRounder(const RoundingTask& task, const AdaroundOptions& options, WeightCodes codes)
      : task_(task),
        layer_(task.layer()),
        options_(options),
        codes_(std::move(codes)),
        weights_(task.pair.original.node->inputs[kLayerWeight]->constant->data<float>()) {}

  // Rounds every channel and gives what came of each.
  std::vector<ChannelResult> run() {
    // Of what follows other layers the wanted result is x_q w: both sides less x_q w then.
    const Tensor start = in_order(
        layer_, [&](size_t i) { return codes_.real(i) - (task_.follows ? weights_[i] : 0.0f); });
    products_ = task_.sums.times(start);
    if (task_.follows) {
      const Tensor all = in_order(layer_, [&](size_t i) { return weights_[i]; });
      wanted_ = task_.sums.times(all);
    }
    std::vector<ChannelResult> results(layer_.channels());
    parallel_for(results.size(), 0, [&](size_t c) { results[c] = round_channel(c); });
    return results;
  }

  const WeightCodes& codes() const { return codes_; }

 private:
  ChannelResult round_channel(size_t channel) {
    const size_t group = channel / layer_.outputs;
    const size_t output = channel % layer_.outputs;
    const size_t n = layer_.inputs;
    const auto at = [&](size_t i) { return layer_.weight_at(group, output, i); };
    const auto cell = [&](size_t i) { return (group * n + i) * layer_.outputs + output; };
    const auto with_outputs = task_.sums.with_outputs(group);
    std::vector<float> drift(n);
    std::vector<float> gradient(n);
    std::vector<float> steps(n);
    for (size_t i = 0; i < n; ++i) {
      drift[i] = codes_.real(at(i)) - weights_[at(i)];
      gradient[i] = products_.data<float>()[cell(i)];
      if (!task_.follows) gradient[i] -= with_outputs[i * layer_.outputs + output];
      const int32_t other = other_code(codes_, at(i), weights_[at(i)]);
      steps[i] = static_cast<float>(other - codes_.codes[at(i)]) * codes_.scales[at(i)];
    }
    ChannelResult result;
    result.square = square_of(channel);
    result.before = error_of(channel, drift, gradient);
    const std::vector<float> steps_before = steps;
    const auto products = task_.sums.products(group);
    round_weights(products, ridge_of(products), options_.max_sweeps, {drift, gradient, steps});
    result.after = error_of(channel, drift, gradient);
    for (size_t i = 0; i < n; ++i) {
      if (steps[i] == steps_before[i]) continue;
      codes_.codes[at(i)] += steps_before[i] > 0 ? 1 : -1;
      ++result.flips;
    }
    return result;
  }

  float ridge_of(std::span<const float> products) const {
    double trace = 0;
    for (size_t i = 0; i < layer_.inputs; ++i) trace += double{products[i * (layer_.inputs + 1)]};
    return static_cast<float>(options_.ridge * trace / static_cast<double>(layer_.inputs));
  }

  // e = d' A d of a layer that follows, else w' g - c' w + the wanted result's square.
  double error_of(size_t channel, std::span<const float> drift,
                  std::span<const float> gradient) const {
    const size_t group = channel / layer_.outputs;
    const size_t output = channel % layer_.outputs;
    double error = 0;
    for (size_t i = 0; i < layer_.inputs; ++i) {
      if (task_.follows) {
        error += double{drift[i]} * gradient[i];
      } else {
        const double w = double{drift[i]} + weights_[layer_.weight_at(group, output, i)];
        const double c = task_.sums.with_outputs(group)[i * layer_.outputs + output];
        error += w * (gradient[i] - c);
      }
    }
    return std::max(0.0, task_.follows ? error : error + square_of(channel));
  }

  double square_of(size_t channel) const {
    if (!task_.follows) return task_.sums.output_squares()[channel];
    const size_t group = channel / layer_.outputs;
    const size_t output = channel % layer_.outputs;
    double square = 0;
    for (size_t i = 0; i < layer_.inputs; ++i) {
      square += double{weights_[layer_.weight_at(group, output, i)]} *
                wanted_.data<float>()[(group * layer_.inputs + i) * layer_.outputs + output];
    }
    return square;
  }

  const RoundingTask& task_;
  const ProductLayer& layer_;
  const AdaroundOptions& options_;
  WeightCodes codes_;
  std::span<const float> weights_;  // Before rounding.
  Tensor products_;                 // Times the weights, as in_order has them.
  Tensor wanted_;                   // The same with the weights before rounding.
};

// What to add to the bias so that every channel has the mean it shall have: that of the float layer
// or, where the layer follows others, the one that the weights before rounding would give.
std::vector<double> bias_shift(const RoundingTask& task, const WeightCodes& codes) {
  const ProductLayer& layer = task.layer();
  const Node& original = *task.pair.original.node;
  const auto weights = original.inputs[kLayerWeight]->constant->data<float>();
  const auto wanted = float_constant(input_of(original, kLayerBias));
  const auto bias = float_constant(input_of(*layer.node, kLayerBias));
  std::vector<double> shift(layer.channels());
  for (size_t c = 0; c < shift.size(); ++c) {
    const size_t group = c / layer.outputs;
    double mean = bias ? double{bias->data<float>()[c]} : 0.0;
    double wanted_mean = wanted ? double{wanted->data<float>()[c]} : 0.0;
    for (size_t i = 0; i < layer.inputs; ++i) {
      const size_t at = layer.weight_at(group, c % layer.outputs, i);
      const double x = task.sums.input_means()[group * layer.inputs + i];
      mean += x * double{codes.real(at)};
      wanted_mean += x * double{weights[at]};
    }
    shift[c] = (task.follows ? wanted_mean : task.sums.output_means()[c]) - mean;
  }
  return shift;
}

}  // namespace

Result<RoundedLayer> round_layer(Graph& quantized, const RoundingTask& task,
                                 const AdaroundOptions& options) {
  Node& dequantize = *task.layer().dequantize();
  HONE_TRY(WeightCodes codes, read_codes(dequantize));
  LayerRounder rounder(task, options, std::move(codes));
  const std::vector<ChannelResult> results = rounder.run();
  write_codes(quantized, dequantize, rounder.codes().codes);
  if (!fixed_bias(task.layer())) {
    shift_bias(quantized, task.layer(), bias_shift(task, rounder.codes()));
  }
  RoundedLayer rounded{.name = task.layer().node->name,
                       .weights = static_cast<int64_t>(rounder.codes().codes.size())};
  double square = 0;
  for (const ChannelResult& result : results) {
    rounded.flips += result.flips;
    rounded.error_before += result.before;
    rounded.error_after += result.after;
    square += result.square;
  }
  if (square > 0) {
    rounded.error_before /= square;
    rounded.error_after /= square;
  }
  return rounded;
}

}  // namespace hone
