#include "hone/kernels/reduce/reduce.h"

#include <vector>

#include "hone/kernels/kernel_benching.h"

namespace hone {
namespace {

// Global average pools: MobileNetV2's last, a squeeze of EfficientNet-B0, and one in NCHW.
template <class T>
bool add(const std::string& type, std::span<const KernelVariant<Reduce<T>>> variants) {
  struct Size {
    size_t outer;
    size_t n;
    size_t inner;
  };
  for (const Size s : {Size{1, 49, 1280}, Size{1, 3136, 144}, Size{1280, 49, 1}}) {
    bench_variants("reduce_" + type + "/mean/" + std::to_string(s.outer) + "x" +
                       std::to_string(s.n) + "x" + std::to_string(s.inner),
                   variants, [s](benchmark::State& state, Reduce<T> kernel) {
                     const std::vector<T> x(s.outer * s.n * s.inner);
                     std::vector<T> y(s.outer * s.inner);
                     const ReduceArgs<T> args{ReduceOp::Mean, s.outer, s.n,      s.inner, x.data(),
                                              s.n * s.inner,  s.inner, y.data(), s.inner};
                     for (auto _ : state) {
                       kernel(args);
                       benchmark::ClobberMemory();
                     }
                     set_rate(state, "bytes", x.size() * sizeof(T));
                   });
  }
  return true;
}

const bool kAdded =
    add<float>("f32", reduce_f32_variants()) && add<Half>("f16", reduce_f16_variants());

}  // namespace
}  // namespace hone
