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

}  // namespace

std::vector<Metric> launch_counters(const Loaded& loaded, size_t step) {
  if (loaded.plan->steps[step].on_host()) return {};
  const std::vector<Launch>& launches = loaded.plan->steps[step].variant().launches;
  const auto largest = std::ranges::max_element(launches, {}, blocks_of);
  const Kernel& kernel = loaded.kernels[step][static_cast<size_t>(largest - launches.begin())];
  const auto blocks = static_cast<double>(blocks_of(*largest));
  std::vector<Metric> counters = {
      exact("blocks", blocks, ""),
      exact("Block Size", largest->block, ""),
      exact("Registers Per Thread", kernel.registers, ""),
      exact("Shared Memory Per Block", largest->shared_bytes, "B"),
  };
  const GpuInfo& gpu = loaded.gpu->info();
  int together = 0;  // Blocks that a multiprocessor has room for.
  const int known = loaded.gpu->driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(
      &together, kernel.function, static_cast<int>(largest->block), largest->shared_bytes);
  if (known != 0 || together == 0) return counters;
  const double warps = static_cast<double>(together) * (largest->block + kWarp - 1) / kWarp;
  counters.push_back(exact("Theoretical Occupancy", 100 * warps * kWarp / gpu.most_threads, "%"));
  counters.push_back(exact("Waves Per SM", blocks / (together * gpu.multiprocessors), ""));
  return counters;
}

}  // namespace hone::cuda
