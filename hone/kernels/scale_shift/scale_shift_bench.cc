#include "hone/kernels/scale_shift/scale_shift.h"

#include <vector>

#include "hone/kernels/kernel_benching.h"

namespace hone {
namespace {

// Batch norms of DenseNet-121, as rows of an image or as planes.
struct Case {
  bool per_row;
  size_t rows;
  size_t cols;
};
const Case kCases[] = {{false, 56, 96}, {false, 3136, 256}, {false, 196, 800}, {true, 96, 784}};

template <class T>
bool add(const std::string& type, std::span<const KernelVariant<ScaleShift<T>>> variants) {
  for (const Case& c : kCases) {
    const std::string name = "scale_shift_" + type + (c.per_row ? "/per_row/" : "/per_column/") +
                             std::to_string(c.rows) + "x" + std::to_string(c.cols);
    bench_variants(name, variants, [c](benchmark::State& state, ScaleShift<T> kernel) {
      const std::vector<T> x(c.rows * c.cols);
      const std::vector<float> scale(c.per_row ? c.rows : c.cols), shift(scale.size());
      std::vector<T> y(x.size());
      const ScaleShiftArgs<T> args{c.rows,       c.cols,    x.data(), scale.data(),
                                   shift.data(), c.per_row, y.data()};
      for (auto _ : state) {
        kernel(args);
        benchmark::ClobberMemory();
      }
      set_rate(state, "bytes", 2 * y.size() * sizeof(T));
    });
  }
  return true;
}

const bool kAdded =
    add<float>("f32", scale_shift_f32_variants()) && add<Half>("f16", scale_shift_f16_variants());

}  // namespace
}  // namespace hone
