// What the kernels' benchmarks share.
#pragma once

#include <benchmark/benchmark.h>

#include <span>
#include <string>

#include "hone/kernels/variant.h"

namespace hone {

// Registers fn(state, kernel) as "<name>/<variant>" for every variant this CPU runs.
template <class Kernel, class Fn>
bool bench_variants(const std::string& name, std::span<const KernelVariant<Kernel>> variants,
                    Fn fn) {
  for (const KernelVariant<Kernel>& variant : variants) {
    if (!variant.runs_here()) continue;
    const std::string full = name + "/" + std::string(variant.name);
    benchmark::RegisterBenchmark(
        full.c_str(), [fn, run = variant.run](benchmark::State& state) { fn(state, run); });
  }
  return true;
}

// Work of one iteration: rates appear as "<name>/s".
inline void set_rate(benchmark::State& state, const char* name, size_t per_iteration) {
  state.counters[std::string(name) + "/s"] = benchmark::Counter(
      static_cast<double>(per_iteration), benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace hone
