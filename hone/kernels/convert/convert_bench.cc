#include "hone/kernels/convert/convert.h"

#include <vector>

#include "hone/kernels/kernel_benching.h"

namespace hone {
namespace {

template <class From, class To>
bool add(const char* name, std::span<const KernelVariant<Convert<From, To>>> variants) {
  return bench_variants(name, variants, [](benchmark::State& state, Convert<From, To> kernel) {
    constexpr size_t kImage = 224 * 224 * 3;
    const std::vector<From> x(kImage, From(1.5f));
    std::vector<To> y(kImage);
    for (auto _ : state) {
      kernel(kImage, x.data(), y.data());
      benchmark::ClobberMemory();
    }
    set_rate(state, "bytes", kImage * (sizeof(From) + sizeof(To)));
  });
}

const bool kAdded =
    add<float, Half>("convert_f32_f16/224x224x3", convert_f32_f16_variants()) &&
    add<Half, float>("convert_f16_f32/224x224x3", convert_f16_f32_variants()) &&
    add<float, BFloat16>("convert_f32_bf16/224x224x3", convert_f32_bf16_variants()) &&
    add<BFloat16, float>("convert_bf16_f32/224x224x3", convert_bf16_f32_variants());

}  // namespace
}  // namespace hone
