#include "hone/kernels/softmax/softmax.h"

#include <vector>

#include "hone/kernels/kernel_benching.h"

namespace hone {
namespace {

// A classifier's output, and attention of 8 heads over 64 positions.
template <class T>
bool add(const std::string& type, std::span<const KernelVariant<Softmax<T>>> variants) {
  struct Size {
    size_t rows;
    size_t cols;
  };
  for (const Size size : {Size{1, 1000}, Size{8 * 64, 64}}) {
    bench_variants(
        "softmax_" + type + "/" + std::to_string(size.rows) + "x" + std::to_string(size.cols),
        variants, [size](benchmark::State& state, Softmax<T> kernel) {
          const std::vector<T> x(size.rows * size.cols, T(1.0f));
          std::vector<T> y(x.size());
          for (auto _ : state) {
            kernel(size.rows, size.cols, x.data(), y.data());
            benchmark::ClobberMemory();
          }
          set_rate(state, "elements", x.size());
        });
  }
  return true;
}

const bool kAdded =
    add<float>("f32", softmax_f32_variants()) && add<Half>("f16", softmax_f16_variants());

}  // namespace
}  // namespace hone
