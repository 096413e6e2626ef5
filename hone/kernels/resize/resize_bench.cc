#include "hone/kernels/resize/resize.h"

#include <algorithm>
#include <vector>

#include "hone/kernels/kernel_benching.h"

namespace hone {
namespace {

// Twice as large, as in the neck of a detector.
template <class T>
bool add(const std::string& name, std::span<const KernelVariant<ResizeBilinear<T>>> variants) {
  return bench_variants(name, variants, [](benchmark::State& state, ResizeBilinear<T> kernel) {
    constexpr uint32_t kIn = 40;
    constexpr size_t kChannels = 96;
    std::vector<ResizeTap> taps;
    for (uint32_t i = 0; i < 2 * kIn; ++i) {
      taps.push_back({i / 2, std::min(i / 2 + 1, kIn - 1), i % 2 == 0 ? 0.25f : 0.75f});
    }
    const std::vector<T> x(kIn * kIn * kChannels);
    std::vector<T> y(4 * x.size());
    const ResizeArgs<T> args{kChannels, kIn, kIn, taps, taps, x.data(), y.data()};
    for (auto _ : state) {
      kernel(args, 0, taps.size());
      benchmark::ClobberMemory();
    }
    set_rate(state, "elements", y.size());
  });
}

const bool kAdded = add<float>("resize_bilinear_f32/40x40x96", resize_bilinear_f32_variants()) &&
                    add<Half>("resize_bilinear_f16/40x40x96", resize_bilinear_f16_variants());

}  // namespace
}  // namespace hone
