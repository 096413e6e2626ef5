// How fast a network runs, whole.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hone/base/metric.h"

namespace hone {

struct BenchResult {
  // Median of whole runs, with the shortest and longest; or what a model says, with its interval
  // where it has one.
  Metric latency;
  // Between which the median lies at 95 %, where runs were timed.
  std::optional<double> median_low = {};
  std::optional<double> median_high = {};
  std::string precision;                        // Of the products; see precision_label.
  double gmacs = 0;                             // Multiply-accumulates of one run, in 10^9.
  uint64_t arena_bytes = 0;                     // 0 where the target plans no memory.
  std::vector<std::string> reference_ops = {};  // Operators that no kernel of the target took.
  std::vector<std::string> plain_kernels = {};  // Those that the CPU has no features to do better.

  // 10^9 operations per second, two for each multiply-accumulate.
  double rate() const { return latency.value ? 2 * gmacs / *latency.value * 1e3 : 0; }
};

}  // namespace hone
