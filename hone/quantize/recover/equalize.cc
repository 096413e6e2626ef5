#include "hone/quantize/recover/equalize.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "hone/passes/match.h"
#include "hone/passes/pass_def.h"
#include "hone/quantize/recover/probe.h"
#include "hone/quantize/recover/scaled_layer.h"

namespace hone {
namespace {

// A channel this near to the bound has reached it.
constexpr double kAtBound = 1 - 1e-5;

// Two layers with the largest magnitude of each channel between them as it is now, where samples
// tell.
struct Pair {
  LayerChain chain;
  std::vector<double> largest;
};

// By how much each channel is divided and multiplied: both sides to the same range. Bounded
// channels stay where they reach the bound, and within it.
std::vector<double> factors_of(const Pair& pair, const ScaledLayer& first,
                               const ScaledLayer& second) {
  std::vector<double> factors(first.layer.channels(), 1.0);
  for (size_t c = 0; c < factors.size(); ++c) {
    const double before = range_out(first, c);
    const double after = range_in(second, c);
    if (before < first.dead || after < second.dead || !(before > 0) || !(after > 0)) continue;
    factors[c] = std::sqrt(before / after);
    if (!pair.chain.bounded()) continue;
    const double bound = pair.chain.bound * kAtBound;
    factors[c] = pair.largest[c] >= bound ? 1 : std::max(factors[c], pair.largest[c] / bound);
  }
  return factors;
}

// Where samples tell, the part of the way to equal ranges that makes the least noise, which may be
// none of it; else all of it.
void choose_part(const Pair& pair, const ScaledLayer& first, const ScaledLayer& second,
                 const PairPrecision& precision, std::vector<double>& factors) {
  if (pair.largest.empty()) return;
  std::vector<double> best(factors.size(), 1.0);
  // Less is not worth a change.
  double least = 0.98 * pair_noise(first, second, pair.largest, best, precision);
  for (const double part : {0.25, 0.5, 0.75, 1.0}) {
    std::vector<double> tried = factors;
    for (double& s : tried) s = std::pow(s, part);
    const double noise = pair_noise(first, second, pair.largest, tried, precision);
    if (!(noise < least)) continue;
    least = noise;
    best = std::move(tried);
  }
  factors = std::move(best);
}

// The largest move of a channel, as a factor less 1.
double sweep(std::vector<Pair>& pairs, std::vector<ScaledLayer>& layers,
             const PairPrecision& precision) {
  double moved = 0;
  for (Pair& pair : pairs) {
    ScaledLayer& first = layers[pair.chain.first];
    ScaledLayer& second = layers[pair.chain.second];
    std::vector<double> factors = factors_of(pair, first, second);
    choose_part(pair, first, second, precision, factors);
    for (size_t c = 0; c < factors.size(); ++c) {
      const double s = factors[c];
      if (s == 1) continue;
      divide_out(first, c, s);
      multiply_in(second, c, s);
      if (!pair.largest.empty()) pair.largest[c] /= s;
      moved = std::max(moved, std::max(s, 1 / s) - 1);
    }
  }
  return moved;
}

double worst_ratio(const std::vector<Pair>& pairs, const std::vector<ScaledLayer>& layers) {
  double worst = 1;
  for (const auto& [chain, largest] : pairs) {
    worst = std::max({worst, ratio_out(layers[chain.first]), ratio_in(layers[chain.second])});
  }
  return worst;
}

// Calls fn(channel, value) for every element; channels are on axis 1, or on the last.
template <class Fn>
void for_channels(const Tensor& tensor, bool last, size_t channels, Fn&& fn) {
  const auto x = tensor.data<float>();
  const size_t inner =
      last ? 1 : static_cast<size_t>(elements(std::span(tensor.shape()).subspan(2)));
  for (size_t i = 0; i < x.size(); ++i) fn(i / inner % channels, double{x[i]});
}

// The largest magnitudes between the layers, and the mean squares of what they read.
Status look_at_samples(const Graph& graph, std::vector<ScaledLayer>& layers,
                       std::vector<Pair>& pairs, const SampleSource& samples) {
  if (samples.count < 1) return bad_input("no samples to take the ranges of channels from");
  Probe probe(graph);
  for (Pair& pair : pairs) {
    pair.largest.resize(layers[pair.chain.first].layer.channels());
    probe.see(*pair.chain.activated);
    for (const size_t i : {pair.chain.first, pair.chain.second}) {
      layers[i].input_squares.assign(layers[i].input_count(), 0);
    }
  }
  std::vector<ScaledLayer*> readers;
  for (ScaledLayer& layer : layers) {
    if (layer.input_squares.empty()) continue;
    readers.push_back(&layer);
    probe.see(*layer.layer.node->inputs[kLayerData]);
  }
  for (int64_t i = 0; i < samples.count; ++i) {
    HONE_TRY(const auto* values, probe.run(samples, i));
    for (size_t p = 0; p < pairs.size(); ++p) {
      std::vector<double>& largest = pairs[p].largest;
      const bool last = channels_last(layers[pairs[p].chain.first].layer);
      for_channels((*values)[p].tensor, last, largest.size(),
                   [&](size_t c, double x) { largest[c] = std::max(largest[c], std::abs(x)); });
    }
    for (size_t r = 0; r < readers.size(); ++r) {
      const Tensor& x = (*values)[pairs.size() + r].tensor;
      std::vector<double>& squares = readers[r]->input_squares;
      const double share = static_cast<double>(squares.size()) /
                           (static_cast<double>(x.elements()) * static_cast<double>(samples.count));
      for_channels(x, channels_last(readers[r]->layer), squares.size(),
                   [&](size_t c, double v) { squares[c] += v * v * share; });
    }
  }
  return Done{};
}

void become_relu(Graph& graph, LayerChain& chain, Node& first) {
  chain.bound = std::numeric_limits<double>::infinity();
  if (chain.clip == nullptr) {
    first.attrs["activation"] = std::string("relu");
    first.attrs.erase("activation_params");
    return;
  }
  Node& clip = *chain.clip;
  Node* relu = add_inferred(graph, "relu", {clip.inputs[0]}, {}, clip.name, &clip);
  take_place(graph, {&clip}, relu, clip.outputs[0], "equalize");
  chain.activated = relu->outputs[0];
}

std::vector<Pair> choose_pairs(Graph& graph, const std::vector<ScaledLayer>& layers,
                               bool have_samples, const EqualizeOptions& options,
                               EqualizeReport& report) {
  std::vector<ProductLayer> found;
  for (const ScaledLayer& scaled : layers) found.push_back(scaled.layer);
  std::vector<Pair> pairs;
  for (LayerChain& chain : find_chains(graph, found)) {
    if (chain.bounded() && options.relu6_to_relu) {
      become_relu(graph, chain, *found[chain.first].node);
      ++report.relu6_replaced;
    }
    if (!chain.bounded() || have_samples) pairs.push_back({chain, {}});
  }
  return pairs;
}

}  // namespace

Result<EqualizeReport> equalize(Graph& graph, const SampleSource* samples,
                                const EqualizeOptions& options) {
  HONE_RETURN_IF_ERROR(optimize(graph));
  EqualizeReport report;
  std::vector<ScaledLayer> layers = load_scaled(graph);
  std::vector<Pair> pairs = choose_pairs(graph, layers, samples != nullptr, options, report);
  if (pairs.empty()) return report;
  if (samples != nullptr) HONE_RETURN_IF_ERROR(look_at_samples(graph, layers, pairs, *samples));

  report.pairs = static_cast<int>(pairs.size());
  report.worst_ratio_before = worst_ratio(pairs, layers);
  double moved = std::numeric_limits<double>::infinity();
  while (report.iterations < options.max_iterations && moved > options.tolerance) {
    moved = sweep(pairs, layers, options.precision);
    ++report.iterations;
  }
  report.worst_ratio_after = worst_ratio(pairs, layers);

  std::vector<bool> changed(layers.size());
  for (const Pair& pair : pairs) changed[pair.chain.first] = changed[pair.chain.second] = true;
  for (size_t i = 0; i < layers.size(); ++i) {
    if (changed[i]) store_scaled(graph, layers[i]);
  }
  HONE_RETURN_IF_ERROR(verify(graph));
  return report;
}

}  // namespace hone
