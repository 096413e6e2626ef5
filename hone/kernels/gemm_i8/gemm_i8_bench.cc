// Layers of real networks, requantization and packing of activations included. GOP/s counts two
// operations per product.

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "hone/kernels/gemm_i8/gemm_i8.h"
#include "hone/kernels/roof/bench_peak.h"

namespace hone {
namespace {

struct Layer {
  const char* network;
  size_t m;
  size_t n;
  size_t taps;
  size_t depth;
};

constexpr Layer kLayers[] = {
    {"mobilenet_v2", 12544, 16, 1, 32}, {"mobilenet_v2", 12544, 96, 1, 16},
    {"mobilenet_v2", 3136, 24, 1, 96},  {"mobilenet_v2", 3136, 144, 1, 24},
    {"mobilenet_v2", 784, 32, 1, 144},  {"mobilenet_v2", 784, 192, 1, 32},
    {"mobilenet_v2", 196, 64, 1, 192},  {"mobilenet_v2", 196, 384, 1, 64},
    {"mobilenet_v2", 196, 96, 1, 384},  {"mobilenet_v2", 196, 576, 1, 96},
    {"mobilenet_v2", 49, 160, 1, 576},  {"mobilenet_v2", 49, 960, 1, 160},
    {"mobilenet_v2", 49, 320, 1, 960},  {"mobilenet_v2", 49, 1280, 1, 320},
    {"mobilenet_v2", 12544, 32, 9, 3},  {"mobilenet_v2", 1, 1000, 1, 1280},
    {"resnet50", 3136, 64, 1, 64},      {"resnet50", 3136, 256, 1, 64},
    {"resnet50", 3136, 64, 1, 256},     {"resnet50", 784, 512, 1, 128},
    {"resnet50", 784, 128, 1, 512},     {"resnet50", 196, 1024, 1, 256},
    {"resnet50", 196, 256, 1, 1024},    {"resnet50", 49, 2048, 1, 512},
    {"resnet50", 49, 512, 1, 2048},     {"resnet50", 3136, 64, 9, 64},
    {"resnet50", 784, 128, 9, 128},     {"resnet50", 196, 256, 9, 256},
    {"resnet50", 49, 512, 9, 512},      {"ds_cnn_kws", 125, 64, 1, 64},
    {"square", 1024, 1024, 1, 1024},
};

struct FreeBuffer {
  void operator()(void* p) const { std::free(p); }
};
using Buffer = std::unique_ptr<void, FreeBuffer>;

Buffer aligned_buffer(size_t bytes) {
  return Buffer(std::aligned_alloc(64, (bytes + 63) / 64 * 64));
}

// The panels of a layer with random weights, scaled so that outputs fill the type's range.
template <class A>
Buffer random_panels(const GemmI8Kernel<A>& kernel, const Layer& layer, std::mt19937& rng) {
  const size_t k = layer.taps * layer.depth;
  std::vector<int8_t> w(layer.n * k);
  for (int8_t& value : w) value = static_cast<int8_t>(rng());
  std::vector<int32_t> bias, multipliers, shifts;
  for (size_t o = 0; o < layer.n; ++o) {
    const double spread = 0.5 + static_cast<double>(rng() % 1000) / 1000;
    const FixedPoint factor = fixed_point(spread / (70 * std::sqrt(static_cast<double>(k))));
    bias.push_back(static_cast<int32_t>(rng() % 1000));
    multipliers.push_back(factor.multiplier);
    shifts.push_back(factor.shift);
  }
  const Requantization requantization{multipliers.data(),
                                      shifts.data(),
                                      Rounding::Double,
                                      5,
                                      std::numeric_limits<A>::min(),
                                      std::numeric_limits<A>::max()};
  const GemmI8Weights weights{w.data(),    layer.n, layer.taps,    layer.depth,
                              bias.data(), 3,       requantization};
  Buffer panels = aligned_buffer(kernel.panels(layer.n) * kernel.panel_bytes(k));
  gemm_i8_pack(kernel, weights, 0, kernel.panels(layer.n), panels.get());
  return panels;
}

template <class A>
void run_layer(benchmark::State& state, const GemmI8Kernel<A>& kernel, const Layer& layer) {
  std::mt19937 rng(1);
  const size_t k = layer.taps * layer.depth;
  const Buffer panels = random_panels(kernel, layer, rng);
  const Buffer scratch = aligned_buffer(gemm_i8_scratch_bytes(kernel, layer.n, k, layer.m));
  std::vector<A> a(layer.m * layer.depth), y(layer.m * layer.n);
  for (A& value : a) value = static_cast<A>(rng());
  // Taps as a convolution has them: rows near one another.
  std::vector<const A*> rows;
  for (size_t i = 0; layer.taps > 1 && i < layer.m * layer.taps; ++i) {
    const size_t row = (i / layer.taps + 7 * (i % layer.taps)) % layer.m;
    rows.push_back(a.data() + row * layer.depth);
  }
  GemmI8Args<A> args{};
  args.kernel = &kernel;
  args.n = layer.n;
  args.taps = layer.taps;
  args.depth = layer.depth;
  args.panels = panels.get();
  args.rows = layer.taps > 1 ? rows.data() : nullptr;
  args.a = a.data();
  args.a_stride = layer.depth;
  args.y = y.data();
  args.y_stride = layer.n;
  args.scratch = scratch.get();
  for (auto _ : state) {
    gemm_i8_rows(args, 0, layer.m, 0, kernel.panels(layer.n));
    benchmark::ClobberMemory();
  }
  const double ops = 2.0 * static_cast<double>(layer.m * layer.n * k);
  state.counters["GOP/s"] =
      benchmark::Counter(1e-9 * ops, benchmark::Counter::kIsIterationInvariantRate);
  set_peak_percent(state, "int8", ops);
}

template <class A>
void register_layers(const std::string& type) {
  for (const auto& variant : gemm_i8_variants_of<A>()) {
    if (!variant.runs_here()) continue;
    for (const Layer& layer : kLayers) {
      const std::string name = type + "/" + std::string(variant.name) + "/" + layer.network + "/" +
                               std::to_string(layer.m) + "x" + std::to_string(layer.n) + "x" +
                               std::to_string(layer.taps) + "*" + std::to_string(layer.depth);
      benchmark::RegisterBenchmark(name.c_str(), [&variant, &layer](benchmark::State& state) {
        run_layer<A>(state, variant.run, layer);
      });
    }
  }
}

const bool registered = [] {
  register_layers<int8_t>("gemm_i8");
  register_layers<uint8_t>("gemm_u8");
  return true;
}();

}  // namespace
}  // namespace hone
