#include "hone/quantize/recover/correct_bias.h"

#include <algorithm>
#include <cmath>

#include "hone/base/progress.h"
#include "hone/passes/match.h"
#include "hone/passes/pass_def.h"
#include "hone/quantize/recover/bias.h"
#include "hone/quantize/recover/probe.h"

namespace hone {
namespace {

using Means = std::vector<std::vector<double>>;  // By what the probe sees, then by channel.

// Of what the probe sees over all samples; channels are the innermost axis that is not 1.
Result<Means> means_of(Probe& probe, const std::vector<ProductLayer>& layers,
                       const SampleSource& samples) {
  Means means;
  for (const ProductLayer& layer : layers) means.emplace_back(layer.channels());
  for (int64_t i = 0; i < samples.count; ++i) {
    HONE_TRY(const auto* seen, probe.run(samples, i));
    for (size_t l = 0; l < layers.size(); ++l) {
      const auto y = (*seen)[l].tensor.data<float>();
      const size_t channels = means[l].size();
      const double share = static_cast<double>(channels) /
                           (static_cast<double>(y.size()) * static_cast<double>(samples.count));
      for (size_t j = 0; j < y.size(); ++j) means[l][j % channels] += y[j] * share;
    }
  }
  return means;
}

CorrectedLayer correct(Graph& graph, const ProductLayer& layer, std::vector<double> shift) {
  shift_bias(graph, layer, shift);
  for (double& s : shift) s = std::abs(s);
  return {layer.node->name, *std::ranges::max_element(shift)};
}

Tensor bias_or_zeros(const ProductLayer& layer) {
  const TensorType zeros{DType::F32, {static_cast<int64_t>(layer.channels())}};
  return float_constant(input_of(*layer.node, kLayerBias)).value_or(Tensor(zeros));
}

Tensor difference(const Tensor& a, const Tensor& b) {
  Tensor result = a;
  const auto to = result.mutable_data<float>();
  const auto from = b.data<float>();
  for (size_t i = 0; i < to.size(); ++i) to[i] -= from[i];
  return result;
}

// The error of a layer is a layer itself, of the weights' errors: its mean is what to add.
Status correct_local(Graph& quantized, const std::vector<LayerPair>& pairs,
                     const SampleSource& samples, BiasReport& report) {
  Probe probe(quantized);
  std::vector<ProductLayer> layers;
  for (const auto& [layer, original] : pairs) {
    layers.push_back(layer);
    const auto weights = float_constant(layer.node->inputs[kLayerWeight]);
    probe.see_mean_sums(layer, difference(*original.node->inputs[kLayerWeight]->constant, *weights),
                        difference(bias_or_zeros(original), bias_or_zeros(layer)));
  }
  HONE_TRY(Means missing, means_of(probe, layers, samples));
  for (size_t i = 0; i < layers.size(); ++i) {
    report.layers.push_back(correct(quantized, layers[i], std::move(missing[i])));
  }
  report.passes = 1;
  return Done{};
}

Status correct_in_order(Graph& quantized, const Graph& original,
                        const std::vector<LayerPair>& pairs, const SampleSource& samples,
                        BiasReport& report) {
  Probe floats(original);
  std::vector<ProductLayer> layers;
  std::vector<ProductLayer> originals;
  for (const LayerPair& pair : pairs) {
    layers.push_back(pair.quantized);
    originals.push_back(pair.original);
    floats.see_mean_sums(pair.original);
  }
  HONE_TRY(const Means wanted, means_of(floats, originals, samples));
  const std::vector<int> levels = levels_of(quantized, layers);
  const int last = *std::ranges::max_element(levels);
  Progress bar("bias correction", static_cast<size_t>(last));
  for (int level = 1; level <= last; ++level) {
    Probe probe(quantized);
    std::vector<size_t> here;
    std::vector<ProductLayer> layers_here;
    for (size_t i = 0; i < layers.size(); ++i) {
      if (levels[i] != level) continue;
      here.push_back(i);
      layers_here.push_back(layers[i]);
      probe.see_mean_sums(layers[i]);
    }
    HONE_TRY(Means means, means_of(probe, layers_here, samples));
    for (size_t i = 0; i < here.size(); ++i) {
      for (size_t c = 0; c < means[i].size(); ++c) means[i][c] = wanted[here[i]][c] - means[i][c];
      report.layers.push_back(correct(quantized, layers_here[i], std::move(means[i])));
    }
    bar.step();
  }
  report.passes = 1 + last;
  return Done{};
}

}  // namespace

Result<BiasReport> correct_bias(Graph& quantized, const Graph& original,
                                const SampleSource& samples, const BiasOptions& options) {
  if (samples.count < 1) return bad_input("no samples to take the means of layers from");
  const std::unique_ptr<Graph> floats = original.clone();
  HONE_RETURN_IF_ERROR(optimize(*floats));
  LayerMatch match = match_layers(quantized, *floats);
  BiasReport report{.layers = {}, .skipped = std::move(match.skipped)};
  std::vector<LayerPair> pairs;
  for (const LayerPair& pair : match.pairs) {
    auto reason = fixed_bias(pair.quantized);
    if (!reason) reason = fixed_bias(pair.original);
    if (reason) {
      report.skipped.push_back({pair.quantized.node->name, *reason});
    } else {
      pairs.push_back(pair);
    }
  }
  if (pairs.empty()) return report;
  if (options.way == BiasOptions::Way::Local) {
    HONE_RETURN_IF_ERROR(correct_local(quantized, pairs, samples, report));
  } else {
    HONE_RETURN_IF_ERROR(correct_in_order(quantized, *floats, pairs, samples, report));
  }
  HONE_RETURN_IF_ERROR(verify(quantized));
  return report;
}

}  // namespace hone
