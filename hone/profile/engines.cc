#include "hone/profile/engines.h"

#include <algorithm>
#include <map>

#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

constexpr std::string_view kStall = "stall_";

bool is_traffic(const Metric& metric) {
  return metric.unit == "B" &&
         (metric.name.ends_with("_read") || metric.name.ends_with("_written"));
}

std::string spaced(std::string text) {
  std::ranges::replace(text, '_', ' ');
  return text;
}

// In cycles and bytes, so that steps can be added.
struct Sums {
  EngineUse use = {};
  std::map<std::string, double> stalls = {};

  void add(const std::vector<Metric>& counters) {
    const double cycles = counter(counters, "cycles");
    const auto busy = [&](std::string_view name) { return cycles * counter(counters, name) / 100; };
    use.cycles += cycles;
    use.matrix += busy("matrix_busy");
    use.vector += busy("vector_busy");
    use.dma += busy("dma_busy");
    use.host += busy("host_busy");
    use.macs += busy("mac_utilisation");
    for (const Metric& metric : counters) {
      if (!metric.value) continue;
      if (is_traffic(metric)) use.off_chip_bytes += *metric.value;
      if (metric.name.starts_with(kStall)) stalls[metric.name] += *metric.value;
    }
  }

  EngineUse finish() {
    const auto part = [&](double cycles) { return use.cycles > 0 ? cycles / use.cycles : 0; };
    for (double* busy : {&use.matrix, &use.vector, &use.dma, &use.host, &use.macs}) {
      *busy = part(*busy);
    }
    for (const auto& [name, cycles] : stalls) {
      if (cycles > 0) use.stalls.push_back({spaced(name.substr(kStall.size())), part(cycles)});
    }
    std::ranges::stable_sort(use.stalls, std::ranges::greater{}, &EngineStall::part);
    return std::move(use);
  }
};

}  // namespace

bool has_engines(const Profile& profile) {
  return find_metric(profile.counters, "mac_utilisation") != nullptr;
}

double counter(const std::vector<Metric>& counters, std::string_view name) {
  const Metric* metric = find_metric(counters, name);
  return metric == nullptr ? 0 : metric->value.value_or(0);
}

EngineUse engine_use(const std::vector<Metric>& counters) {
  Sums sums;
  sums.add(counters);
  return sums.finish();
}

EngineUse engine_use(const Profile& profile, std::span<const size_t> steps) {
  Sums sums;
  for (const size_t s : steps) sums.add(profile.steps[s].counters);
  return sums.finish();
}

std::string longest_wait(const EngineUse& use) {
  if (use.stalls.empty()) return "";
  return str(use.stalls[0].cause, " ", fixed(100 * use.stalls[0].part, 0), " %");
}

}  // namespace hone
