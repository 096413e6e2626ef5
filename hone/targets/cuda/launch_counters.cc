#include "hone/targets/cuda/launch_counters.h"

#include <algorithm>

namespace hone::cuda {
namespace {

constexpr int kWarp = 32;

int64_t blocks_of(const Launch& launch) {
  return int64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
}

Metric exact(std::string name, double value, std::string unit) {
  return {.name = std::move(name), .value = value, .unit = std::move(unit), .mode = Mode::Exact};
}

int rounded_up(int value, int unit) {
  return (value + unit - 1) / unit * unit;
}

// How many blocks each thing that a multiprocessor has allows.
void add_block_limits(const Launch& launch, const Kernel& kernel, const GpuInfo& gpu,
                      std::vector<Metric>& counters) {
  constexpr int kRegisterUnit = 8;  // Of a thread,
  constexpr int kReserved = 1024;   // and bytes of a block that the driver takes.
  const int warps = rounded_up(static_cast<int>(launch.block), kWarp) / kWarp;
  const int registers = rounded_up(std::max(kernel.registers, 1), kRegisterUnit) * kWarp * warps;
  const auto add = [&](const char* name, int64_t blocks) {
    counters.push_back(exact(name, static_cast<double>(blocks), "block"));
  };
  if (gpu.registers > 0) add("Block Limit Registers", gpu.registers / registers);
  if (gpu.shared_bytes > 0) {
    add("Block Limit Shared Mem",
        static_cast<int64_t>(gpu.shared_bytes) / (int64_t{launch.shared_bytes} + kReserved));
  }
  add("Block Limit Warps", gpu.most_threads / (warps * kWarp));
  if (gpu.most_blocks > 0) add("Block Limit SM", gpu.most_blocks);
}

// The first is the time that the means are over.
struct CountedMetric {
  const char* metric;
  const char* name;
  const char* unit;
  double factor;
  bool adds_up;
};
constexpr CountedMetric kCounted[] = {
    {"gpu__time_duration.sum", "Duration", "us", 1e-3, true},
    {"dram__bytes_read.sum", "DRAM Bytes Read", "B", 1, true},
    {"dram__bytes_write.sum", "DRAM Bytes Written", "B", 1, true},
    {"sm__throughput.avg.pct_of_peak_sustained_elapsed", "Compute (SM) Throughput", "%", 1, false},
    {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "Memory Throughput", "%",
     1, false},
    {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", "DRAM Throughput", "%", 1, false},
    {"lts__t_sector_hit_rate.pct", "L2 Hit Rate", "%", 1, false},
    {"sm__warps_active.avg.pct_of_peak_sustained_active", "Achieved Occupancy", "%", 1, false},
};

// Of the launches from `first` on.
std::vector<Metric> counted_step(const std::vector<std::vector<double>>& counted, size_t first,
                                 size_t launches) {
  double time = 0;
  for (size_t l = first; l < first + launches; ++l) time += counted[l][0];
  std::vector<Metric> counters;
  for (size_t m = 0; m < std::size(kCounted); ++m) {
    double sum = 0;
    for (size_t l = first; l < first + launches; ++l) {
      sum += kCounted[m].adds_up ? counted[l][m] : counted[l][m] * counted[l][0] / time;
    }
    // Parts of a ratio may be counted in different runs.
    if (!kCounted[m].adds_up) sum = std::min(sum, 100.0);
    counters.push_back({.name = kCounted[m].name,
                        .value = sum * kCounted[m].factor,
                        .unit = kCounted[m].unit,
                        .mode = Mode::Measured,
                        .note = "each kernel by itself"});
  }
  return counters;
}

}  // namespace

std::vector<std::string> counted_metrics() {
  std::vector<std::string> metrics;
  for (const CountedMetric& each : kCounted) metrics.emplace_back(each.metric);
  return metrics;
}

std::vector<std::vector<Metric>> counters_of_steps(
    const Plan& plan, const std::vector<std::vector<double>>& counted) {
  std::vector<std::vector<Metric>> steps;
  size_t first = 0;
  for (const Step& step : plan.steps) {
    const size_t launches = step.on_host() ? 0 : step.variant().launches.size();
    steps.push_back(launches == 0 ? std::vector<Metric>() : counted_step(counted, first, launches));
    first += launches;
  }
  return steps;
}

std::vector<Metric> launch_counters(const Loaded& loaded, size_t step) {
  if (loaded.plan->steps[step].on_host()) return {};
  const std::vector<Launch>& launches = loaded.plan->steps[step].variant().launches;
  const auto largest = std::ranges::max_element(launches, {}, blocks_of);
  const Kernel& kernel = loaded.kernels[step][static_cast<size_t>(largest - launches.begin())];
  const auto blocks = static_cast<double>(blocks_of(*largest));
  std::vector<Metric> counters = {
      exact("blocks", blocks, ""),
      exact("Block Size", largest->block, ""),
      exact("Shared Memory Per Block", largest->shared_bytes, "B"),
  };
  if (kernel.function == nullptr) return counters;  // A library's that the driver does not show.
  counters.push_back(exact("Registers Per Thread", kernel.registers, ""));
  const GpuInfo& gpu = loaded.gpu->info();
  add_block_limits(*largest, kernel, gpu, counters);
  int together = 0;  // Blocks that a multiprocessor has room for.
  const int known = loaded.gpu->driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(
      &together, kernel.function, static_cast<int>(largest->block), largest->shared_bytes);
  if (known != 0 || together == 0) return counters;
  const double warps = together * static_cast<double>((largest->block + kWarp - 1) / kWarp);
  counters.push_back(exact("Theoretical Occupancy", 100 * warps * kWarp / gpu.most_threads, "%"));
  counters.push_back(exact("Waves Per SM", blocks / (together * gpu.multiprocessors), ""));
  return counters;
}

}  // namespace hone::cuda
