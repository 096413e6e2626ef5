#include "hone/validate/slowdown.h"

#include <algorithm>
#include <cmath>

#include "hone/base/check.h"
#include "hone/base/percent.h"
#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/profile/statistics.h"

namespace hone {
namespace {

// Enough for an order-statistic interval, few enough that a block outlasts most disturbances.
constexpr size_t kBlocks = 12;

// Block by block, how much longer b takes than a.
std::vector<double> block_ratios(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> before = block_medians(a, kBlocks), after = block_medians(b, kBlocks);
  std::vector<double> ratios;
  for (size_t i = 0; i < before.size(); ++i) ratios.push_back(after[i] / before[i] - 1);
  return ratios;
}

Interval block_interval(const std::vector<double>& samples) {
  return median_interval(block_medians(samples, kBlocks));
}

// As part of the base's time: the larger of both limits.
double limit_of(const SlowdownLimits& limits, double base_ms) {
  return std::max(limits.part, limits.ms / base_ms);
}

std::string limit_text(const SlowdownLimits& limits, double base_ms) {
  const double limit = limit_of(limits, base_ms);
  if (limit <= limits.part) return percent(limit);
  return str(percent(limit), ", which is ", human_duration(1e-3 * limits.ms));
}

std::string reason(const Slowdown& slowdown, const std::string& limit, size_t rounds) {
  if (rounds < kFewestRounds) return str("only ", rounds, " rounds of runs");
  const std::string range =
      str(signed_percent(slowdown.part), ", between ", signed_percent(slowdown.low), " and ",
          signed_percent(slowdown.high));
  const std::string noise =
      str("the program differs from itself by up to ", percent(slowdown.noise));
  if (slowdown.verdict != Verdict::Inconclusive) {
    return str(range, ", against a limit of ", limit, "; ", noise);
  }
  return str(range, ", with the limit of ", limit, " in between: ", noise,
             "; measure longer or on a quieter machine");
}

// Fills in the verdict from part, interval and noise.
Slowdown decided(Slowdown slowdown, const SlowdownLimits& limits, size_t rounds) {
  const double limit = limit_of(limits, slowdown.base_ms);
  slowdown.low = (1 + slowdown.low) / (1 + slowdown.noise) - 1;
  slowdown.high = (1 + slowdown.high) * (1 + slowdown.noise) - 1;
  if (rounds >= kFewestRounds) {
    slowdown.verdict = judge_interval(slowdown.low, slowdown.high, limit);
  }
  slowdown.why = reason(slowdown, limit_text(limits, slowdown.base_ms), rounds);
  return slowdown;
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Pass:
      return "pass";
    case Verdict::Fail:
      return "fail";
    case Verdict::Inconclusive:
      return "inconclusive";
  }
  HONE_CHECK(false, "no such verdict");
}

Verdict judge_interval(double low, double high, double limit) {
  if (high <= limit) return Verdict::Pass;
  return low > limit ? Verdict::Fail : Verdict::Inconclusive;
}

Slowdown judge_slowdown(const Rounds& rounds, const SlowdownLimits& limits) {
  const std::vector<double> ratios = block_ratios(rounds.base, rounds.candidate);
  const Interval interval = median_interval(ratios);
  Slowdown slowdown;
  slowdown.part = median(ratios);
  slowdown.of_blocks = true;
  slowdown.low = interval.low;
  slowdown.high = interval.high;
  slowdown.noise = noise_of(rounds);
  slowdown.base_ms = median(rounds.base);
  slowdown.candidate_ms = median(rounds.candidate);
  return decided(slowdown, limits, rounds.base.size());
}

Slowdown judge_against_stored(const std::vector<double>& stored_ms, const Rounds& rounds,
                              const SlowdownLimits& limits) {
  const Interval before = block_interval(stored_ms), now = block_interval(rounds.base);
  Slowdown slowdown;
  slowdown.base_ms = median(stored_ms);
  slowdown.candidate_ms = median(rounds.base);
  slowdown.part = slowdown.candidate_ms / slowdown.base_ms - 1;
  // Other work on the machine lengthens the typical run and leaves the fast ones as they are.
  const double fast = quantile(rounds.base, 0.1) / quantile(stored_ms, 0.1) - 1;
  slowdown.low = std::min(now.low / before.high - 1, fast);
  slowdown.high = now.high / before.low - 1;
  slowdown.noise = noise_of(rounds);
  return decided(slowdown, limits, rounds.base.size());
}

Slowdown judge_modelled(double base_ms, double candidate_ms, const SlowdownLimits& limits) {
  Slowdown slowdown;
  slowdown.base_ms = base_ms;
  slowdown.candidate_ms = candidate_ms;
  slowdown.part = candidate_ms / base_ms - 1;
  slowdown.low = slowdown.high = slowdown.part;
  const double limit = limit_of(limits, base_ms);
  slowdown.verdict = judge_interval(slowdown.part, slowdown.part, limit);
  slowdown.why =
      str(signed_percent(slowdown.part), ", against a limit of ", limit_text(limits, base_ms),
          "; the device's model gives the same time every time");
  return slowdown;
}

double noise_of(const Rounds& rounds) {
  const Interval interval = median_interval(block_ratios(rounds.base, rounds.again));
  return std::max(std::abs(interval.low), std::abs(interval.high));
}

Latency latency_of(const std::vector<double>& samples_ms, double noise) {
  const Interval interval = block_interval(samples_ms);
  return {.ms = median(samples_ms),
          .low = interval.low / (1 + noise),
          .high = interval.high * (1 + noise),
          .noise = noise,
          .n = static_cast<int64_t>(samples_ms.size())};
}

}  // namespace hone
