// Products of real networks on every variant.

#include <benchmark/benchmark.h>

#include <vector>

#include "hone/kernels/gemm/gemm_block.h"

namespace hone {
namespace {

struct Layer {
  const char* name;
  int64_t rows, n, taps, depth;
};
constexpr Layer kLayers[] = {
    {"square/1024", 1024, 1024, 1, 1024},      {"mobilenet_v2/1", 12544, 96, 1, 16},
    {"mobilenet_v2/2", 3136, 144, 1, 24},      {"mobilenet_v2/4", 784, 192, 1, 32},
    {"mobilenet_v2/8", 196, 384, 1, 64},       {"mobilenet_v2/11", 196, 96, 1, 576},
    {"mobilenet_v2/17", 49, 320, 1, 960},      {"resnet50/layer1", 3136, 64, 9, 64},
    {"resnet50/layer1.1x1", 3136, 256, 1, 64}, {"resnet50/layer2", 784, 128, 9, 128},
    {"resnet50/layer3", 196, 256, 9, 256},     {"resnet50/layer3.1x1", 196, 1024, 1, 256},
    {"resnet50/layer4", 49, 512, 9, 512},      {"resnet50/layer4.1x1", 49, 2048, 1, 512},
    {"fully_connected", 1, 1000, 1, 2048},
};

template <class T>
void run_layer(benchmark::State& state, const GemmKernel<T>& kernel, const Layer& layer) {
  const auto rows = static_cast<size_t>(layer.rows);
  const auto n = static_cast<size_t>(layer.n);
  const auto taps = static_cast<size_t>(layer.taps);
  const auto depth = static_cast<size_t>(layer.depth);
  // One row of the operand per row and tap; a convolution's overlap, so they share their memory.
  std::vector<T> a((rows + taps) * depth, T(0.5f));
  std::vector<T> c(rows * n);
  std::vector<T> panels(kernel.panels(n) * kernel.panel_elements(taps * depth), T(0.25f));
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
}

template <class T>
void add(const char* type, std::span<const KernelVariant<GemmKernel<T>>> variants) {
  for (const auto& variant : variants) {
    if (!variant.runs_here() || variant.name == "ref") continue;
    for (const Layer& layer : kLayers) {
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
