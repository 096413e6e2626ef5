// What is said of repeated measurements.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace hone {

// The value below which the part `q` of the samples lies, interpolated. Samples need not be sorted;
// there is at least one.
double quantile(std::span<const double> samples, double q);
double median(std::span<const double> samples);

// Standard deviation over mean.
double coefficient_of_variation(std::span<const double> samples);

// Bounds that hold the median with 95 % confidence, of samples in the order they were taken. The
// wider of two: order statistics, which assume nothing of how samples are distributed but that none
// knows of the one before it; and the spread of the medians of consecutive blocks, which sees what
// moves slowly, as a clock, heat or other work do. With fewer than six samples, the least and the
// greatest.
struct Interval {
  double low;
  double high;
};
Interval median_interval(std::span<const double> samples);

// Medians of `blocks` consecutive parts of equal length, fewer when there are fewer samples.
std::vector<double> block_medians(std::span<const double> samples, size_t blocks);

// Those that took more than twice the median, and the longest over it.
struct LongRuns {
  size_t count = 0;
  double factor = 0;
};
LongRuns long_runs(std::span<const double> samples);
// "1 of 8 runs took 3.1 times the median"; empty where there is none.
std::string long_runs_text(const LongRuns& longer, size_t runs);

// Why the samples look as if something other than the program had moved them: a drift, two speeds,
// outliers. Empty when they look steady.
std::vector<std::string> unsteady_reasons(std::span<const double> samples);

}  // namespace hone
