// The roofs themselves. What `hone calibrate` measures, with memory of one size only.

#include "hone/base/aligned.h"
#include "hone/kernels/kernel_benching.h"
#include "hone/kernels/roof/roof.h"

namespace hone {
namespace {

void run_compute(benchmark::State& state, const ComputeLoop& loop) {
  constexpr size_t kRounds = 1000;
  for (auto _ : state) benchmark::DoNotOptimize(loop.run(kRounds));
  set_rate(state, "ops", kRounds * loop.ops_per_round);
}

// In the first-level cache of any CPU.
constexpr size_t kBytes = 16 << 10;

void run_read(benchmark::State& state, const MemoryLoops& loops) {
  AlignedArray<std::byte> memory(kBytes);
  loops.write(memory.data(), kBytes, 1);
  for (auto _ : state) benchmark::DoNotOptimize(loops.read(memory.data(), kBytes));
  set_rate(state, "bytes", kBytes);
}

void run_write(benchmark::State& state, const MemoryLoops& loops) {
  AlignedArray<std::byte> memory(kBytes);
  for (auto _ : state) loops.write(memory.data(), kBytes, 1);
  set_rate(state, "bytes", kBytes);
}

void run_copy(benchmark::State& state, const MemoryLoops& loops) {
  AlignedArray<std::byte> memory(kBytes);
  loops.write(memory.data(), kBytes, 1);
  for (auto _ : state) loops.copy(memory.data(), memory.data() + kBytes / 2, kBytes / 2);
  set_rate(state, "bytes", kBytes);  // Read and written.
}

const bool kAdded = bench_variants("roof", compute_loops(), run_compute) &&
                    bench_variants("roof/read_16KiB", memory_loops(), run_read) &&
                    bench_variants("roof/write_16KiB", memory_loops(), run_write) &&
                    bench_variants("roof/copy_16KiB", memory_loops(), run_copy);

}  // namespace
}  // namespace hone
