#include "hone/profile/break_even.h"

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

}  // namespace

Metric break_even_batch(std::string name, std::span<const BatchPair> pairs) {
  const BatchPair& last = pairs.back();
  const bool measured =
      last.candidate.mode == Mode::Measured && last.standing.mode == Mode::Measured;
  Metric metric{.name = std::move(name), .value = first_batch(pairs, Outcome::Expected)};
  metric.mode = measured ? Mode::Measured : Mode::Predicted;
  metric.n = static_cast<int64_t>(pairs.size());
  if (!metric.value) {
    metric.note = str("not up to a batch of ", last.batch);
    return metric;
  }
  metric.low = first_batch(pairs, Outcome::Best);
  metric.high = first_batch(pairs, Outcome::Worst);
  if (!metric.high) metric.note = str("its interval ends beyond a batch of ", last.batch);
  return metric;
}

bool is_settled(std::span<const BatchPair> pairs) {
  return excess(pairs.back(), Outcome::Worst) <= 0;
}

}  // namespace hone
