#include "hone/stream/recipe.h"

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

constexpr int kProbabilityBits = 15;

uint16_t in_q15(double value) {
  return static_cast<uint16_t>(
      std::lround(std::ldexp(std::clamp(value, 0.0, 1.0), kProbabilityBits)));
}

std::vector<uint16_t> probability_table(const StreamInterface& network) {
  std::vector<uint16_t> table;
  for (int i = 0; i < 256; ++i) {
    const double value = network.softmax ? std::exp(-i * network.output_scale)
                                         : (i - 128 - network.output_zero) * network.output_scale;
    table.push_back(in_q15(value));
  }
  return table;
}

// The energy of a push is n * sum(x^2) - sum(x)^2: n^2 times the power.
uint64_t energy_of(double db, size_t push) {
  const auto n = static_cast<double>(push);
  return static_cast<uint64_t>(std::llround(n * n * std::ldexp(std::pow(10, db / 10), 30)));
}

std::vector<StreamKeyword> keywords_of(const StreamConfig& config) {
  std::vector<StreamKeyword> keywords;
  for (const KeywordConfig& keyword : config.keywords) {
    const auto at = std::ranges::find(config.classes, keyword.name) - config.classes.begin();
    keywords.push_back({keyword.name, static_cast<size_t>(at), in_q15(keyword.threshold)});
  }
  return keywords;
}

}  // namespace

size_t StreamRecipe::seen_pushes() const {
  return static_cast<size_t>(mfcc.options().clip) / push;
}

Result<StreamRecipe> make_recipe(const StreamConfig& config, const StreamInterface& network) {
  if (config.classes.size() != network.outputs) {
    return bad_input(config.classes.size(), " classes for a network of ", network.outputs,
                     " outputs, expected a name for each");
  }
  MfccOptions options;
  options.clip = options.frame + (network.rows - 1) * options.step;
  HONE_TRY(FixedMfcc mfcc, FixedMfcc::make(options));
  HONE_TRY(const FeatureBytes bytes, mfcc.bytes_for(network.input_scale, network.input_zero));
  const auto push = static_cast<size_t>(options.rate * kPushMs / 1000);
  const int64_t frame_ms = options.step * 1000 / options.rate;
  const int64_t ring_samples = options.frame + config.preroll_ms * options.rate / 1000;
  return StreamRecipe{
      .mfcc = std::move(mfcc),
      .bytes = bytes,
      .rows = static_cast<size_t>(network.rows),
      .outputs = network.outputs,
      .keywords = keywords_of(config),
      .probabilities = probability_table(network),
      .softmax = network.softmax,
      .push = push,
      .gate_energy = energy_of(config.gate_db, push),
      .hold = static_cast<uint32_t>(config.hold_ms / kPushMs),
      .ring = static_cast<uint32_t>(ring_samples / static_cast<int64_t>(push)),
      .hop = static_cast<uint32_t>(config.hop_ms / frame_ms),
      .smoothing = static_cast<uint32_t>(config.smoothing_ms / config.hop_ms),
      .refractory = static_cast<uint64_t>(config.refractory_ms * options.rate / 1000)};
}

}  // namespace hone
