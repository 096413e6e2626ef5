#include "hone/profile/compare_programs.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "hone/base/progress.h"

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;

// Of the median, and of every quarter of the measurement by itself: a machine that changes
// meanwhile does so between the quarters.
Interval interval_of(const std::vector<double>& gains) {
  constexpr size_t kQuarters = 4;
  const std::vector<double> quarters = block_medians(gains, kQuarters);
  const Interval whole = median_interval(gains);
  return {std::min(whole.low, std::ranges::min(quarters)),
          std::max(whole.high, std::ranges::max(quarters))};
}

// Each turn against the one beside it, as a ratio: what slows both, moves no gain.
Comparison judge(const std::vector<double>& a, const std::vector<double>& b, double least) {
  const double typical = median(a);
  std::vector<double> gains;
  for (size_t i = 0; i < a.size(); ++i) gains.push_back(typical * (1 - b[i] / a[i]));
  const Interval interval = interval_of(gains);
  Comparison comparison{.ms_a = typical,
                        .ms_b = median(b),
                        .gain_ms = median(gains),
                        .low_gain_ms = interval.low,
                        .high_gain_ms = interval.high,
                        .turns = {quantile(gains, 0.1), quantile(gains, 0.9)},
                        .n = static_cast<int64_t>(a.size())};
  if (std::abs(comparison.gain_ms) <= least * comparison.ms_a) return comparison;
  comparison.change = interval.low > 0    ? Change::Faster
                      : interval.high < 0 ? Change::Slower
                                          : Change::Unclear;
  return comparison;
}

// Whether the gain is known as well as anybody asks: within a tenth of itself, or the least change that
// counts, or half a percent. It is the width that ends a measurement, not the verdict.
bool is_known(const Comparison& comparison, double least) {
  constexpr double kLeastWidth = 0.005;
  constexpr double kPartOfGain = 0.2;
  const double width = comparison.high_gain_ms - comparison.low_gain_ms;
  return width <= kPartOfGain * std::abs(comparison.gain_ms) ||
         width <= std::max(least, kLeastWidth) * comparison.ms_a;
}

Comparison compare_modelled(const Metric& a, const Metric& b, double least) {
  const double gain = *a.value - *b.value;
  Comparison comparison{.ms_a = *a.value,
                        .ms_b = *b.value,
                        .gain_ms = gain,
                        .low_gain_ms = gain,
                        .high_gain_ms = gain,
                        .turns = {gain, gain},
                        .n = 1,
                        .mode = b.mode};
  if (std::abs(gain) > least * comparison.ms_a) {
    comparison.change = gain > 0 ? Change::Faster : Change::Slower;
  }
  return comparison;
}

}  // namespace

Result<Comparison> compare_programs(const Contestant& a, const Contestant& b, double seconds,
                                    double least) {
  const auto model_a = a.program.modelled();
  const auto model_b = b.program.modelled();
  if (model_a && model_b && (!model_a->latency.value || !model_b->latency.value)) {
    return unsupported("there is no time to compare: ",
                       (model_a->latency.value ? model_b : model_a)->latency.note);
  }
  if (model_a && model_b) return compare_modelled(model_a->latency, model_b->latency, least);
  constexpr int kWarmUps = 2;
  constexpr size_t kFewestTurns = 10;
  constexpr size_t kEnoughTurns = 64;
  TurnTaker first(a);
  TurnTaker second(b);
  for (int i = 0; i < kWarmUps; ++i) {
    HONE_RETURN_IF_ERROR(first.turn());
    HONE_RETURN_IF_ERROR(second.turn());
  }
  first.forget();
  second.forget();
  Progress progress("measuring both", Progress::Time{seconds});
  const Clock::time_point begin = Clock::now();
  for (;;) {
    HONE_RETURN_IF_ERROR(first.turn());
    HONE_RETURN_IF_ERROR(second.turn());
    progress.step();
    const double elapsed = std::chrono::duration<double>(Clock::now() - begin).count();
    const size_t turns = first.ms().size();
    if (turns < kFewestTurns || elapsed < seconds / 4) continue;
    const Comparison comparison = judge(first.ms(), second.ms(), least);
    if (elapsed >= seconds || turns >= kEnoughTurns || is_known(comparison, least)) {
      return comparison;
    }
  }
}

}  // namespace hone
