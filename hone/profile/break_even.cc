#include "hone/profile/break_even.h"

#include <algorithm>
#include <cmath>

#include "hone/base/str.h"

namespace hone {
namespace {

enum class Outcome { Expected, Best, Worst };  // For the candidate.

double low_of(const Metric& metric) {
  return metric.low.value_or(*metric.value);
}
double high_of(const Metric& metric) {
  return metric.high.value_or(*metric.value);
}

// What the candidate takes more.
double excess(const BatchPair& pair, Outcome outcome) {
  if (outcome == Outcome::Best) return low_of(pair.candidate) - high_of(pair.standing);
  if (outcome == Outcome::Worst) return high_of(pair.candidate) - low_of(pair.standing);
  return *pair.candidate.value - *pair.standing.value;
}

// Nothing where the last batch is one that the candidate takes more for.
std::optional<double> first_batch(std::span<const BatchPair> pairs, Outcome outcome) {
  size_t first = pairs.size();
  while (first > 0 && excess(pairs[first - 1], outcome) <= 0) --first;
  if (first == pairs.size()) return std::nullopt;
  const auto batch = static_cast<double>(pairs[first].batch);
  if (first == 0) return batch;
  const auto before = static_cast<double>(pairs[first - 1].batch);
  const double more = excess(pairs[first - 1], outcome);
  const double less = -excess(pairs[first], outcome);
  return std::ceil(before + (batch - before) * more / (more + less));
}

// The last one of those that begin with the first batch which the candidate takes no more for, where
// there are such.
std::optional<int64_t> last_of_small_batches(std::span<const BatchPair> pairs) {
  size_t end = 0;
  while (end < pairs.size() && excess(pairs[end], Outcome::Expected) <= 0) ++end;
  if (end == 0 || end == pairs.size()) return std::nullopt;
  const auto before = static_cast<double>(pairs[end - 1].batch);
  const auto batch = static_cast<double>(pairs[end].batch);
  const double less = -excess(pairs[end - 1], Outcome::Expected);
  const double more = excess(pairs[end], Outcome::Expected);
  return static_cast<int64_t>(std::floor(before + (batch - before) * less / (more + less)));
}

// Over the last three batches both grow with the batch, and nothing else is left in them.
bool grow_alike(std::span<const BatchPair> pairs) {
  constexpr size_t kLooked = 3;
  constexpr double kSame = 0.02;    // Of the one in parts of the other.
  constexpr double kGrowing = 0.8;  // Of what the batch grows by.
  if (pairs.size() < kLooked) return false;
  const std::span<const BatchPair> looked = pairs.last(kLooked);
  const BatchPair& first = looked.front();
  const BatchPair& last = looked.back();
  const auto ratio = [](const BatchPair& pair) {
    return *pair.candidate.value / *pair.standing.value;
  };
  const double growth = static_cast<double>(last.batch) / static_cast<double>(first.batch);
  const bool growing = *last.candidate.value > kGrowing * growth * *first.candidate.value &&
                       *last.standing.value > kGrowing * growth * *first.standing.value;
  return growing && std::ranges::all_of(looked, [&](const BatchPair& pair) {
           return std::abs(ratio(pair) / ratio(last) - 1) < kSame;
         });
}

}  // namespace

Metric break_even_batch(std::string name, std::span<const BatchPair> pairs) {
  const BatchPair& last = pairs.back();
  const bool measured =
      last.candidate.mode == Mode::Measured && last.standing.mode == Mode::Measured;
  Metric metric{.name = std::move(name), .value = first_batch(pairs, Outcome::Expected)};
  metric.mode = measured ? Mode::Measured : Mode::Predicted;
  metric.n = static_cast<int64_t>(pairs.size());
  if (!metric.value) {
    if (const auto small = last_of_small_batches(pairs)) {
      metric.note = *small == 1 ? "only a batch of 1" : str("only up to a batch of ", *small);
      return metric;
    }
    metric.note = str("not up to a batch of ", last.batch,
                      grow_alike(pairs) ? ", and larger ones come no nearer" : "");
    return metric;
  }
  metric.low = first_batch(pairs, Outcome::Best);
  metric.high = first_batch(pairs, Outcome::Worst);
  if (!metric.high) metric.note = str("its interval ends beyond a batch of ", last.batch);
  return metric;
}

bool is_settled(std::span<const BatchPair> pairs) {
  return excess(pairs.back(), Outcome::Worst) <= 0 || grow_alike(pairs);
}

}  // namespace hone
