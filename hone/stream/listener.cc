#include "hone/stream/listener.h"

#include <algorithm>

namespace hone {
namespace {

constexpr size_t kSilentPushes = 1000 / kPushMs;

// The table of networks that leave their softmax to the caller, by how far a byte lies below the largest.
std::vector<uint16_t> softmax_q15(std::span<const int8_t> outputs,
                                  const std::vector<uint16_t>& table) {
  const int largest = *std::ranges::max_element(outputs);
  uint32_t sum = 0;
  for (const int8_t output : outputs) sum += table[static_cast<size_t>(largest - output)];
  std::vector<uint16_t> probabilities;
  for (const int8_t output : outputs) {
    const uint32_t part = table[static_cast<size_t>(largest - output)];
    probabilities.push_back(static_cast<uint16_t>(((part << 15) + sum / 2) / sum));
  }
  return probabilities;
}

std::vector<uint16_t> probabilities_of(std::span<const int8_t> outputs,
                                       const StreamRecipe& recipe) {
  if (recipe.softmax) return softmax_q15(outputs, recipe.probabilities);
  std::vector<uint16_t> probabilities;
  for (const int8_t output : outputs) {
    probabilities.push_back(recipe.probabilities[static_cast<size_t>(output + 128)]);
  }
  return probabilities;
}

}  // namespace

Listener::Listener(const StreamRecipe& recipe, ByteNetwork network)
    : recipe_(recipe),
      network_(std::move(network)),
      samples_(recipe.ring * recipe.push),
      peaks_(recipe.seen_pushes()),
      rows_(recipe.rows * recipe.mfcc.tables().coefficients),
      past_(recipe.smoothing * recipe.keywords.size()),
      sums_(recipe.keywords.size()),
      highest_(recipe.keywords.size()) {}

// Keeps the samples, too.
bool Listener::opens(std::span<const int16_t> samples) {
  int64_t sum = 0, squares = 0;
  int16_t largest = INT16_MIN;
  for (size_t i = 0; i < samples.size(); ++i) {
    const int64_t sample = samples[i];
    sum += sample;
    squares += sample * sample;
    largest = std::max(largest, samples[i]);
    samples_[(heard_ + i) % samples_.size()] = samples[i];
  }
  peaks_[heard_ / recipe_.push % peaks_.size()] = largest;
  heard_ += samples.size();
  const int64_t energy = static_cast<int64_t>(samples.size()) * squares - sum * sum;
  return static_cast<uint64_t>(energy) >= recipe_.gate_energy;
}

// The gate has opened: nothing from before is left but the sound itself.
void Listener::begin() {
  next_frame_ = heard_ > samples_.size() ? heard_ - samples_.size() : 0;
  fresh_ = true;
  rows_since_run_ = 0;
  std::ranges::fill(past_, uint16_t{0});
  std::ranges::fill(sums_, 0u);
}

void Listener::add_row() {
  const auto frame = static_cast<size_t>(recipe_.mfcc.options().frame);
  const size_t columns = recipe_.mfcc.tables().coefficients;
  std::vector<int16_t> samples(frame), row(columns);
  for (size_t i = 0; i < frame; ++i) samples[i] = samples_[(next_frame_ + i) % samples_.size()];
  recipe_.mfcc.frame(samples, row);
  for (size_t i = 0; i < (fresh_ ? recipe_.rows : 1); ++i) {
    std::ranges::copy(row, rows_.begin() + static_cast<ptrdiff_t>(oldest_row_ * columns));
    oldest_row_ = (oldest_row_ + 1) % recipe_.rows;
  }
  fresh_ = false;
  next_frame_ += static_cast<uint64_t>(recipe_.mfcc.options().step);
  ++rows_since_run_;
  ++work_.frames;
}

Result<std::optional<Detection>> Listener::run_network() {
  std::vector<int16_t> ordered = rows_;
  const auto oldest = oldest_row_ * recipe_.mfcc.tables().coefficients;
  std::rotate(ordered.begin(), ordered.begin() + static_cast<ptrdiff_t>(oldest), ordered.end());
  std::vector<int8_t> input(ordered.size());
  const int32_t level = recipe_.mfcc.level(*std::ranges::max_element(peaks_));
  recipe_.mfcc.to_bytes(ordered, level, recipe_.bytes, input);
  HONE_TRY(const std::vector<int8_t> outputs, network_(input));
  rows_since_run_ = 0;
  ++work_.runs;
  smooth(outputs);
  const std::optional<Detection> detection = detected();
  if (detection) deaf_until_ = heard_ + recipe_.refractory;
  return detection;
}

void Listener::smooth(std::span<const int8_t> outputs) {
  const std::vector<uint16_t> probabilities = probabilities_of(outputs, recipe_);
  for (size_t k = 0; k < recipe_.keywords.size(); ++k) {
    uint16_t& past = past_[oldest_run_ * recipe_.keywords.size() + k];
    const uint16_t now = probabilities[recipe_.keywords[k].output];
    sums_[k] += static_cast<uint32_t>(now) - past;
    past = now;
    const uint32_t score = sums_[k] / recipe_.smoothing;
    if (score > highest_[k].score) highest_[k] = {heard_, score};
  }
  oldest_run_ = (oldest_run_ + 1) % recipe_.smoothing;
}

std::optional<Detection> Listener::detected() const {
  if (heard_ < deaf_until_) return std::nullopt;
  std::optional<size_t> best;
  for (size_t k = 0; k < sums_.size(); ++k) {
    const bool reached = sums_[k] >= recipe_.keywords[k].threshold * recipe_.smoothing;
    if (reached && (!best || sums_[k] > sums_[*best])) best = k;
  }
  if (!best) return std::nullopt;
  return Detection{heard_, *best, sums_[*best] / recipe_.smoothing};
}

Result<std::optional<Detection>> Listener::push(std::span<const int16_t> samples) {
  HONE_CHECK(samples.size() == recipe_.push, "a push of ", samples.size(), " samples");
  const bool loud = opens(samples);
  const bool was_open = open_ > 0;
  ++work_.pushes;
  if (loud) {
    open_ = recipe_.hold;
  } else if (was_open) {
    --open_;
  }
  if (open_ == 0) return std::optional<Detection>();
  ++work_.open_pushes;
  if (!was_open) begin();
  const auto frame = static_cast<uint64_t>(recipe_.mfcc.options().frame);
  while (next_frame_ + frame <= heard_) add_row();
  if (rows_since_run_ < recipe_.hop) return std::optional<Detection>();
  return run_network();
}

Result<Heard> listen(const StreamRecipe& recipe, const ByteNetwork& network,
                     std::span<const int16_t> samples) {
  Listener listener(recipe, network);
  Heard heard;
  std::vector<int16_t> push(recipe.push);
  const size_t pushes = (samples.size() + recipe.push - 1) / recipe.push + kSilentPushes;
  for (size_t i = 0; i < pushes; ++i) {
    const auto rest = samples.subspan(std::min(i * recipe.push, samples.size()));
    std::ranges::fill(push, int16_t{0});
    std::ranges::copy(rest.first(std::min(rest.size(), recipe.push)), push.begin());
    HONE_TRY(const auto detection, listener.push(push));
    if (detection) heard.detections.push_back(*detection);
  }
  heard.work = listener.work();
  heard.highest = listener.highest();
  return heard;
}

}  // namespace hone
