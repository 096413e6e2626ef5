#include "hone/kernels/layer_norm/layer_norm.h"

#include <vector>

#include "hone/kernels/kernel_benching.h"

namespace hone {
namespace {

// A transformer's layer: 128 positions of 768.
template <class T>
bool add(const std::string& name, std::span<const KernelVariant<LayerNorm<T>>> variants) {
  return bench_variants(name, variants, [](benchmark::State& state, LayerNorm<T> kernel) {
    constexpr size_t kRows = 128, kCols = 768;
    const std::vector<T> x(kRows * kCols, T(1.0f)), scale(kCols), bias(kCols);
    std::vector<T> y(x.size());
    const LayerNormArgs<T> args{kRows,       kCols, x.data(), scale.data(),
                                bias.data(), 1e-5f, false,    y.data()};
    for (auto _ : state) {
      kernel(args);
      benchmark::ClobberMemory();
    }
    set_rate(state, "elements", x.size());
  });
}

const bool kAdded = add<float>("layer_norm_f32/128x768", layer_norm_f32_variants()) &&
                    add<Half>("layer_norm_f16/128x768", layer_norm_f16_variants());

}  // namespace
}  // namespace hone
