// For benchmarks: how near a kernel comes to the roof of its arithmetic.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "hone/kernels/roof/best_burst.h"
#include "hone/kernels/roof/roof.h"

namespace hone {

// Operations per second of one core with the best instruction it has for the precision; 0 when it
// has none. Measured once per process, a twentieth of a second for each instruction.
inline double measured_peak(std::string_view precision) {
  static std::map<std::string, double, std::less<>> peaks;
  const auto [found, is_new] = peaks.try_emplace(std::string(precision), 0.0);
  if (!is_new) return found->second;
  for (const auto& loop : compute_loops()) {
    if (loop.run.precision != precision || !loop.runs_here()) continue;
    const BurstRate rounds = best_burst([&](size_t n) { loop.run.run(n); }, 0.05);
    const double rate = rounds.per_second * static_cast<double>(loop.run.ops_per_round);
    found->second = std::max(found->second, rate);
  }
  return found->second;
}

// Adds the counter "peak_%" to a benchmark whose iteration does `ops` operations, a multiply-add
// being two.
inline void set_peak_percent(benchmark::State& state, std::string_view precision, double ops) {
  const double peak = measured_peak(precision);
  if (peak == 0) return;
  state.counters["peak_%"] =
      benchmark::Counter(100 * ops / peak, benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace hone
