// Products of real networks on every variant, rounding of the rows included.

#include <benchmark/benchmark.h>

#include <vector>

#include "hone/base/aligned.h"
#include "hone/kernels/gemm/gemm_layers.h"
#include "hone/kernels/gemm_bf16/gemm_bf16.h"
#include "hone/kernels/kernel_benching.h"
#include "hone/kernels/roof/bench_peak.h"

namespace hone {
namespace {

void run_layer(benchmark::State& state, const GemmBf16Kernel& kernel, const GemmLayer& layer) {
  const auto& [name, rows, n, taps, depth] = layer;
  // One row of the operand per row and tap; a convolution's overlap, so they share their memory.
  const std::vector<float> a((rows + taps) * depth, 0.5f);
  const std::vector<float> w(n * taps * depth, 0.25f);
  AlignedArray<float> c(rows * n);  // As a plan places it: 10 % faster than 16 bytes off.
  const size_t steps = kernel.steps(taps, depth);
  AlignedArray<std::byte> panels(kernel.panels(n) * kernel.panel_bytes(steps));
  gemm_bf16_pack(kernel, {w.data(), n, taps * depth, taps * depth, 1, nullptr}, depth, 0,
                 kernel.panels(n), panels.data());
  std::vector<const float*> pointers;
  for (size_t r = 0; r < rows; ++r) {
    for (size_t t = 0; t < taps; ++t) pointers.push_back(a.data() + (r + t) * depth);
  }
  const GemmBf16Product product{kernel, n, taps, depth, panels.data(), -1e30f, 1e30f};
  const size_t block = 40 * kernel.mr;
  AlignedArray<std::byte> scratch(kernel.rows_bytes(block, steps));
  for (auto _ : state) {
    for (size_t row = 0; row < rows; row += block) {
      gemm_bf16_block(product,
                      {std::min(block, rows - row), pointers.data() + row * taps,
                       c.data() + row * n, n, nullptr, 0},
                      0, kernel.panels(n), scratch.data());
    }
    benchmark::ClobberMemory();
  }
  const size_t flops = 2 * rows * n * taps * depth;
  set_rate(state, "flop", flops);
  set_peak_percent(state, "bf16", static_cast<double>(flops));
}

const bool kAdded = [] {
  for (const GemmLayer& layer : kGemmLayers) {
    bench_variants(std::string("gemm_bf16/") + layer.name, gemm_bf16_variants(),
                   [&layer](benchmark::State& state, const GemmBf16Kernel& kernel) {
                     run_layer(state, kernel, layer);
                   });
  }
  return true;
}();

}  // namespace
}  // namespace hone
