// Products of real networks on every variant, taking rows apart included; beside gemm/gemm_bench.cc's.

#include <benchmark/benchmark.h>

#include <vector>

#include "hone/base/aligned.h"
#include "hone/kernels/gemm/gemm_layers.h"
#include "hone/kernels/gemm_split/gemm_split.h"
#include "hone/kernels/kernel_benching.h"
#include "hone/kernels/roof/bench_peak.h"

namespace hone {
namespace {

void run_split_layer(benchmark::State& state, const GemmSplitKernel& kernel,
                     const GemmLayer& layer) {
  const auto& [name, rows, n, taps, depth] = layer;
  const size_t k = taps * depth, panels = kernel.panels(n);
  // One row of the operand per row and tap; a convolution's overlap, so they share their memory.
  const std::vector<float> a((rows + taps) * depth, 0.3f);
  const std::vector<float> w(n * k, 0.7f);
  std::vector<const float*> pointers;
  for (size_t r = 0; r < rows; ++r) {
    for (size_t t = 0; t < taps; ++t) pointers.push_back(a.data() + (r + t) * depth);
  }
  AlignedArray<float> c(rows * n);
  AlignedArray<std::byte> packed(panels * kernel.panel_bytes(k));
  gemm_split_pack(kernel, {w.data(), n, k, k, 1, nullptr}, 0, panels, packed.data());
  const GemmSplitProduct product{kernel, n, taps, depth, packed.data(), -1e30f, 1e30f};
  const size_t block = 4 * kernel.mr;
  AlignedArray<std::byte> scratch(kernel.rows_bytes(block, k));
  for (auto _ : state) {
    for (size_t row = 0; row < rows; row += block) {
      gemm_split_block(product,
                       {std::min(block, rows - row), pointers.data() + row * taps,
                        c.data() + row * n, n, nullptr, 0},
                       0, panels, scratch.data());
    }
    benchmark::ClobberMemory();
  }
  const size_t flops = 2 * rows * n * k;
  set_rate(state, "flop", flops);
  set_peak_percent(state, "fp32", static_cast<double>(flops));
}

const bool kSplitAdded = [] {
  for (const GemmLayer& layer : kGemmLayers) {
    bench_variants(std::string("gemm_split/") + layer.name, gemm_split_variants(),
                   [&layer](benchmark::State& state, const GemmSplitKernel& kernel) {
                     run_split_layer(state, kernel, layer);
                   });
  }
  return true;
}();

}  // namespace
}  // namespace hone
