#pragma once

#include <vector>

#include "hone/base/metric.h"

namespace hone {

// What is told of the latency of whole runs, in ms: min, median with its 95 % interval, p90, p99,
// max, and cov, a ratio. There is at least one run.
std::vector<Metric> latency_metrics(const std::vector<double>& samples_ms);

}  // namespace hone
