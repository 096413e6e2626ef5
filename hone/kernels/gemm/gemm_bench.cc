// Products of real networks on every variant.

#include <benchmark/benchmark.h>

#include <vector>

#include "hone/kernels/gemm/gemm_block.h"
#include "hone/kernels/gemm/gemm_layers.h"
#include "hone/kernels/roof/bench_peak.h"

namespace hone {
namespace {

template <class T>
void run_layer(benchmark::State& state, const GemmKernel<T>& any, const GemmLayer& layer) {
  const auto& [name, rows, n, taps, depth] = layer;
  const GemmKernel<T> kernel = any.for_product(n, depth);
  // One row of the operand per row and tap; a convolution's overlap, so they share their memory.
  std::vector<T> a((rows + taps) * depth, T(0.5f));
  std::vector<T> c(rows * n);
  std::vector<T> panels(kernel.packed_elements(n, taps * depth), T(0.25f));
  std::vector<const T*> pointers;
  for (size_t r = 0; r < rows; ++r) {
    for (size_t t = 0; t < taps; ++t) pointers.push_back(a.data() + (r + t) * depth);
  }
  const GemmProduct<T> product{kernel, n, taps, depth, panels.data(), -1e30f, 1e30f};
  const size_t block = 40 * kernel.mr;
  for (auto _ : state) {
    for (size_t row = 0; row < rows; row += block) {
      gemm_block<T>(product,
                    {std::min(block, rows - row), pointers.data() + row * taps, c.data() + row * n,
                     n, nullptr, 0},
                    0, kernel.panels(n));
    }
    benchmark::ClobberMemory();
  }
  const double flops = 2.0 * static_cast<double>(rows * n * taps * depth);
  state.counters["GFLOP/s"] = benchmark::Counter(
      flops * static_cast<double>(state.iterations()) / 1e9, benchmark::Counter::kIsRate);
  set_peak_percent(state, sizeof(T) == sizeof(float) ? "fp32" : "fp16", flops);
}

template <class T>
void add(const char* type, std::span<const KernelVariant<GemmKernel<T>>> variants) {
  for (const auto& variant : variants) {
    if (!variant.runs_here() || &variant == &variants.back()) continue;
    for (const GemmLayer& layer : kGemmLayers) {
      const std::string name =
          std::string("gemm_") + type + "/" + std::string(variant.name) + "/" + layer.name;
      const GemmKernel<T> kernel = variant.run;
      benchmark::RegisterBenchmark(name.c_str(), [kernel, layer](benchmark::State& state) {
        run_layer<T>(state, kernel, layer);
      })->Unit(benchmark::kMillisecond);
    }
  }
}

const bool kAdded = [] {
  add<float>("f32", gemm_f32_variants());
  add<Half>("f16", gemm_f16_variants());
  return true;
}();

}  // namespace
}  // namespace hone
