#include <benchmark/benchmark.h>

#include <cstdint>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include "hone/kernels/depthwise/depthwise.h"
#include "hone/kernels/roof/bench_peak.h"

namespace hone {
namespace {

// Layers of MobileNetV2, EfficientNet-B0, MobileNetV3 and the keyword spotter DS-CNN, and one each
// for the kernels that have no tiles of their own.
struct Layer {
  size_t kernel, stride, channels, in_h, in_w;
};
constexpr Layer kLayers[] = {
    {3, 1, 32, 112, 112}, {3, 1, 144, 56, 56},  {3, 1, 576, 14, 14}, {3, 1, 960, 7, 7},
    {3, 1, 64, 25, 5},    {3, 2, 96, 112, 112}, {3, 2, 144, 56, 56}, {5, 1, 672, 14, 14},
    {5, 1, 960, 7, 7},    {5, 2, 240, 28, 28},  {7, 1, 96, 56, 56},  {3, 1, 3, 112, 112},
};

DepthwiseShape shape_of(const Layer& layer) {
  const auto out = [&](size_t in) { return (in + layer.stride - 1) / layer.stride; };
  const auto pad = [&](size_t in) {
    const size_t covered = (out(in) - 1) * layer.stride + layer.kernel;
    return covered > in ? (covered - in) / 2 : 0;
  };
  return {.in_h = layer.in_h,
          .in_w = layer.in_w,
          .out_h = out(layer.in_h),
          .out_w = out(layer.in_w),
          .channels = layer.channels,
          .kernel_h = layer.kernel,
          .kernel_w = layer.kernel,
          .stride_h = layer.stride,
          .stride_w = layer.stride,
          .dilation_h = 1,
          .dilation_w = 1,
          .pad_top = pad(layer.in_h),
          .pad_left = pad(layer.in_w)};
}

struct AlignedBytes {
  explicit AlignedBytes(size_t size) : data(::operator new (size, std::align_val_t{64})) {}
  ~AlignedBytes() { ::operator delete (data, std::align_val_t{64}); }
  AlignedBytes(const AlignedBytes&) = delete;
  AlignedBytes& operator=(const AlignedBytes&) = delete;
  void* data;
};

void report(benchmark::State& state, const DepthwiseShape& s, const char* precision) {
  const size_t operations = 2 * s.kernel_h * s.kernel_w * s.out_h * s.out_w * s.channels;
  state.counters["GOP/s"] = benchmark::Counter(1e-9 * static_cast<double>(operations),
                                               benchmark::Counter::kIsIterationInvariantRate);
  set_peak_percent(state, precision, static_cast<double>(operations));
}

template <class T>
void run_float(benchmark::State& state, const DepthwiseFloat<T>& kernel, const Layer& layer) {
  const DepthwiseShape s = shape_of(layer);
  const std::vector<T> x(s.in_h * s.in_w * s.channels, T(0.5f));
  const std::vector<T> w(s.kernel_h * s.kernel_w * s.channels, T(0.25f)), bias(s.channels, T(1.0f));
  std::vector<T> y(s.out_h * s.out_w * s.channels);
  AlignedBytes packed(kernel.packed_bytes(s));
  kernel.pack(s, w.data(), bias.data(), packed.data);
  for (auto _ : state) {
    kernel.run(s, 0, s.out_h, x.data(), packed.data, {.low = 0, .high = 6}, nullptr, y.data());
    benchmark::ClobberMemory();
  }
  report(state, s, sizeof(T) == sizeof(float) ? "fp32" : "fp16");
}

template <class T>
void run_integer(benchmark::State& state, const DepthwiseInteger<T>& kernel, const Layer& layer,
                 Rounding rounding) {
  const DepthwiseShape s = shape_of(layer);
  const std::vector<T> x(s.in_h * s.in_w * s.channels, T(5));
  const std::vector<int8_t> w(s.kernel_h * s.kernel_w * s.channels, 3);
  const std::vector<int32_t> bias(s.channels, 100), multipliers(s.channels, 1 << 30),
      shifts(s.channels, -7);
  const Requantization q = {.multipliers = multipliers.data(),
                            .shifts = shifts.data(),
                            .rounding = rounding,
                            .zero_point = 3,
                            .low = std::numeric_limits<T>::min(),
                            .high = std::numeric_limits<T>::max()};
  std::vector<T> y(s.out_h * s.out_w * s.channels);
  AlignedBytes packed(kernel.packed_bytes(s)), scratch(kernel.scratch_bytes(s));
  kernel.pack(s, w.data(), bias.data(), 3, q, packed.data);
  for (auto _ : state) {
    kernel.run(s, 0, s.out_h, x.data(), packed.data, y.data(), scratch.data);
    benchmark::ClobberMemory();
  }
  report(state, s, "int8");
}

// depthwise_f32/hwy/3x3/s1/144x56x56
template <class Variants, class Run>
void add(const std::string& type, const Variants& variants, Run run) {
  for (const auto& variant : variants) {
    if (!variant.runs_here()) continue;
    for (const Layer& layer : kLayers) {
      const std::string kernel = std::to_string(layer.kernel);
      const std::string name = "depthwise_" + type + '/' + std::string(variant.name) + '/' +
                               kernel + 'x' + kernel + "/s" + std::to_string(layer.stride) + '/' +
                               std::to_string(layer.channels) + 'x' + std::to_string(layer.in_h) +
                               'x' + std::to_string(layer.in_w);
      benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
        run(state, variant.run, layer);
      })->Unit(benchmark::kMicrosecond);
    }
  }
}

const bool kAdded = [] {
  add("f32", depthwise_f32_variants(), run_float<float>);
  add("f16", depthwise_f16_variants(), run_float<Half>);
  const auto integer = [](Rounding rounding) {
    return [rounding](benchmark::State& state, const auto& kernel, const Layer& layer) {
      run_integer(state, kernel, layer, rounding);
    };
  };
  add("i8", depthwise_i8_variants(), integer(Rounding::Double));
  add("i8_single", depthwise_i8_variants(), integer(Rounding::Single));
  add("u8", depthwise_u8_variants(), integer(Rounding::Double));
  return true;
}();

}  // namespace
}  // namespace hone
