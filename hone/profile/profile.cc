#include "hone/profile/profile.h"

namespace hone {

const Metric* find_metric(const std::vector<Metric>& metrics, std::string_view name) {
  for (const Metric& metric : metrics) {
    if (metric.name == name) return &metric;
  }
  return nullptr;
}

const Metric* typical_latency(const Profile& profile) {
  for (const char* name : {"median", "mean"}) {
    const Metric* metric = find_metric(profile.latency, name);
    if (metric != nullptr && metric->value) return metric;
  }
  return nullptr;
}

double median_ms(const Profile& profile) {
  const Metric* typical = typical_latency(profile);
  return typical == nullptr ? 0 : *typical->value;
}

double intensity(const StepProfile& step) {
  return step.bytes() == 0 ? 0
                           : static_cast<double>(step.flops) / static_cast<double>(step.bytes());
}

}  // namespace hone
