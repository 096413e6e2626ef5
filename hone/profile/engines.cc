#include "hone/profile/engines.h"

#include <algorithm>

#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

using sim::EngineCounters;

double part_of(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

std::string snake(std::string text) {
  std::ranges::replace(text, ' ', '_');
  return text;
}

}  // namespace

bool has_engines(const Profile& profile) {
  return profile.engines.has_value();
}

EngineUse engine_use(const EngineCounters& counters) {
  EngineUse use{.cycles = counters.cycles,
                .matrix = part_of(counters.busy.matrix, counters.cycles),
                .vector = part_of(counters.busy.vector, counters.cycles),
                .dma = part_of(counters.busy.dma, counters.cycles),
                .host = part_of(counters.busy.host, counters.cycles),
                .macs = part_of(counters.macs, counters.possible_macs)};
  for (const sim::MemoryTraffic& memory : counters.memories) {
    use.off_chip_bytes += memory.read_bytes + memory.written_bytes;
  }
  constexpr double kTold = 0.0005;  // Less is 0.0 %.
  for (size_t i = 0; i < sim::kStalls; ++i) {
    const auto stall = static_cast<sim::Stall>(i);
    const double part = part_of(counters.stalls[stall], counters.cycles);
    if (part >= kTold) use.stalls.push_back({sim::stall_name(stall), part});
  }
  std::ranges::stable_sort(use.stalls, std::ranges::greater{}, &EngineStall::part);
  return use;
}

EngineUse engine_use(const Profile& profile, std::span<const size_t> steps) {
  EngineCounters sum;
  for (const size_t s : steps) {
    if (profile.steps[s].engines) add(*profile.steps[s].engines, sum);
  }
  return engine_use(sum);
}

std::string longest_wait(const EngineUse& use) {
  constexpr double kTold = 0.005;  // Less is 0 %.
  if (use.stalls.empty() || use.stalls[0].part < kTold) return "";
  return str(use.stalls[0].cause, " ", fixed(100 * use.stalls[0].part, 0), " %");
}

namespace {

void add_metrics(const EngineCounters& counters, Mode mode, std::vector<Metric>& metrics) {
  const auto put = [&](std::string name, double value, std::string unit, std::string note = "") {
    metrics.push_back({.name = std::move(name),
                       .value = value,
                       .unit = std::move(unit),
                       .mode = mode,
                       .note = std::move(note)});
  };
  const EngineUse use = engine_use(counters);
  put("cycles", counters.cycles, "");
  put("matrix_busy", 100 * use.matrix, "%");
  put("vector_busy", 100 * use.vector, "%");
  put("dma_busy", 100 * use.dma, "%");
  put("host_busy", 100 * use.host, "%");
  put("mac_utilisation", 100 * use.macs, "%", "of the MACs the array could have done in that time");
  put("commands", counters.commands, "");
  put("sram_bytes", counters.sram_bytes, "B");
  for (size_t i = 0; i < sim::kStalls; ++i) {
    const auto stall = static_cast<sim::Stall>(i);
    put(str("stall_", sim::stall_key(stall)), counters.stalls[stall], "cycles");
  }
  for (const sim::MemoryTraffic& memory : counters.memories) {
    put(snake(memory.name) + "_read", memory.read_bytes, "B");
    put(snake(memory.name) + "_written", memory.written_bytes, "B");
  }
  put("energy", counters.energy_uj, "uJ");
}

std::vector<Metric> joined(std::vector<Metric> counters,
                           const std::optional<EngineCounters>& engines, Mode mode) {
  if (engines) add_metrics(*engines, mode, counters);
  return counters;
}

}  // namespace

std::vector<Metric> all_counters(const Profile& profile) {
  return joined(profile.counters, profile.engines, profile.mode);
}

std::vector<Metric> all_counters(const Profile& profile, const StepProfile& step) {
  return joined(step.counters, step.engines, profile.mode);
}

}  // namespace hone
