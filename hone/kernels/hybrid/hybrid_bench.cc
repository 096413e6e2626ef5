#include "hone/kernels/hybrid/hybrid.h"

#include <vector>

#include "hone/kernels/kernel_benching.h"

namespace hone {
namespace {

constexpr size_t kElements = 25 * 5 * 64;

const bool kToBytes =
    bench_variants("hybrid_to_bytes/25x5x64", hybrid_variants(),
                   [](benchmark::State& state, const HybridKernel& kernel) {
                     const std::vector<float> x(kElements, 1.3f);
                     std::vector<int8_t> y(kElements);
                     for (auto _ : state) {
                       float low, high;
                       kernel.range(kElements, x.data(), &low, &high);
                       kernel.to_bytes({127 / high, 0, -127}, kElements, x.data(), y.data());
                       benchmark::ClobberMemory();
                     }
                     set_rate(state, "elements", kElements);
                   });

const bool kScale =
    bench_variants("hybrid_scale/25x5x64", hybrid_variants(),
                   [](benchmark::State& state, const HybridKernel& kernel) {
                     constexpr size_t kColumns = 64;
                     const std::vector<int32_t> sums(kElements, 1000), weight_sums(kColumns, 7);
                     const std::vector<float> scales(kColumns, 0.01f), bias(kColumns, 0.5f);
                     std::vector<float> y(kElements);
                     const HybridScales p{0.02f, 3, weight_sums.data(), scales.data(), bias.data()};
                     for (auto _ : state) {
                       for (size_t i = 0; i < kElements; i += kColumns) {
                         kernel.scale(p, kColumns, sums.data() + i, y.data() + i);
                       }
                       benchmark::ClobberMemory();
                     }
                     set_rate(state, "elements", kElements);
                   });

}  // namespace
}  // namespace hone
