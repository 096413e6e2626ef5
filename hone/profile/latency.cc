#include "hone/profile/latency.h"

#include "hone/profile/statistics.h"

namespace hone {

std::vector<Metric> latency_metrics(const std::vector<double>& samples_ms) {
  std::vector<Metric> metrics;
  const auto add = [&](const char* name, double value, const char* unit) {
    metrics.push_back(
        {.name = name, .value = value, .unit = unit, .n = static_cast<int64_t>(samples_ms.size())});
  };
  add("min", quantile(samples_ms, 0), "ms");
  add("median", median(samples_ms), "ms");
  const Interval interval = median_interval(samples_ms);
  metrics.back().low = interval.low;
  metrics.back().high = interval.high;
  metrics.back().note = "95 % interval of the median";
  add("p90", quantile(samples_ms, 0.9), "ms");
  add("p99", quantile(samples_ms, 0.99), "ms");
  add("max", quantile(samples_ms, 1), "ms");
  add("cov", coefficient_of_variation(samples_ms), "");
  return metrics;
}

}  // namespace hone
