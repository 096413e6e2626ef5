#include "hone/profile/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hone/base/check.h"
#include "hone/base/percent.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

std::vector<double> sorted(std::span<const double> samples) {
  std::vector<double> copy(samples.begin(), samples.end());
  std::ranges::sort(copy);
  return copy;
}

double quantile_of_sorted(const std::vector<double>& values, double q) {
  const double at = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<size_t>(at);
  if (below + 1 >= values.size()) return values.back();
  const double part = at - static_cast<double>(below);
  return values[below] + part * (values[below + 1] - values[below]);
}

// Of samples that do not know of each other.
Interval order_interval(const std::vector<double>& values) {
  if (values.size() < 6) return {values.front(), values.back()};
  const auto n = static_cast<double>(values.size());
  // The number of samples below the median is binomial(n, 1/2); 1.96 standard deviations of it.
  const double reach = 0.98 * std::sqrt(n);
  const double low = std::floor(n / 2 - reach);
  const double high = std::ceil(n / 2 + reach);
  return {values[static_cast<size_t>(std::max(low, 0.0))],
          values[static_cast<size_t>(std::min(high, n - 1))]};
}

// How far the median may be off by what the medians of consecutive blocks say: Student's t of their
// standard error. Blocks are longer than most of what moves slowly, so that their medians are nearly
// independent where samples are not. 0 where there are too few samples.
double reach_of_blocks(std::span<const double> samples) {
  constexpr size_t kMostBlocks = 10, kLeastBlocks = 4, kLeastInBlock = 6;
  constexpr double kStudent[] = {3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262};  // From 4 on.
  const size_t blocks = std::min(kMostBlocks, samples.size() / kLeastInBlock);
  if (blocks < kLeastBlocks) return 0;
  const std::vector<double> medians = block_medians(samples, blocks);
  const auto n = static_cast<double>(blocks);
  const double mean = std::accumulate(medians.begin(), medians.end(), 0.0) / n;
  double squares = 0;
  for (const double each : medians) squares += (each - mean) * (each - mean);
  return kStudent[blocks - kLeastBlocks] * std::sqrt(squares / (n - 1) / n);
}

}  // namespace

double quantile(std::span<const double> samples, double q) {
  HONE_CHECK(!samples.empty(), "quantile of no samples");
  return quantile_of_sorted(sorted(samples), q);
}

double median(std::span<const double> samples) {
  return quantile(samples, 0.5);
}

double coefficient_of_variation(std::span<const double> samples) {
  if (samples.size() < 2) return 0;
  const auto n = static_cast<double>(samples.size());
  const double mean = std::accumulate(samples.begin(), samples.end(), 0.0) / n;
  double squares = 0;
  for (const double sample : samples) squares += (sample - mean) * (sample - mean);
  return mean == 0 ? 0 : std::sqrt(squares / (n - 1)) / mean;
}

Interval median_interval(std::span<const double> samples) {
  const std::vector<double> values = sorted(samples);
  const Interval whole = order_interval(values);
  const double middle = quantile_of_sorted(values, 0.5);
  const double reach = reach_of_blocks(samples);
  return {std::max(values.front(), std::min(whole.low, middle - reach)),
          std::min(values.back(), std::max(whole.high, middle + reach))};
}

std::vector<double> block_medians(std::span<const double> samples, size_t blocks) {
  blocks = std::min(blocks, samples.size());
  std::vector<double> medians;
  for (size_t b = 0; b < blocks; ++b) {
    const size_t begin = b * samples.size() / blocks;
    const size_t end = (b + 1) * samples.size() / blocks;
    medians.push_back(median(samples.subspan(begin, end - begin)));
  }
  return medians;
}

LongRuns long_runs(std::span<const double> samples) {
  constexpr double kMuchLonger = 2;
  if (samples.empty()) return {};
  const double middle = median(samples);
  LongRuns longer;
  for (const double sample : samples) {
    if (sample <= kMuchLonger * middle) continue;
    ++longer.count;
    longer.factor = std::max(longer.factor, sample / middle);
  }
  return longer;
}

std::string long_runs_text(const LongRuns& longer, size_t runs) {
  if (longer.count == 0) return "";
  return str(longer.count, " of ", runs, " runs took ", longer.count == 1 ? "" : "up to ",
             fixed(longer.factor, 1), " times the median");
}

std::vector<std::string> unsteady_reasons(std::span<const double> samples) {
  std::vector<std::string> reasons;
  if (samples.size() < 20)
    return {str("only ", samples.size(), samples.size() == 1 ? " run" : " runs")};
  const std::vector<double> values = sorted(samples);
  const double middle = quantile_of_sorted(values, 0.5);
  const std::vector<double> thirds = block_medians(samples, 3);
  const double drift = thirds[2] / thirds[0] - 1;
  if (std::abs(drift) > 0.05) {
    reasons.push_back(str("the last third of the runs is ", percent(std::abs(drift)),
                          drift > 0 ? " slower" : " faster",
                          " than the first: clock, heat or other work changed"));
  }
  const double spread =
      (quantile_of_sorted(values, 0.9) - quantile_of_sorted(values, 0.1)) / middle;
  if (spread > 0.15) {
    reasons.push_back(str("the middle 80 % of the runs spread over ", percent(spread),
                          " of the median: other work shares the processor"));
  }
  if (quantile_of_sorted(values, 0.99) > 2 * middle) {
    reasons.push_back("one run in a hundred takes more than twice the median: it is interrupted");
  }
  return reasons;
}

}  // namespace hone
