#include "hone/kernels/binary/binary.h"

#include <vector>

#include "hone/kernels/kernel_benching.h"

namespace hone {
namespace {

// A residual add of MobileNetV2, and squeeze-excite scales of EfficientNet-B0.
struct Case {
  const char* name;
  BinaryOp op;
  bool per_column;
  size_t rows;
  size_t cols;
};
const Case kCases[] = {
    {"add", BinaryOp::Add, false, 784, 32},
    {"add", BinaryOp::Add, false, 49, 160},
    {"mul_per_channel", BinaryOp::Mul, true, 3136, 96},
    {"mul_per_channel", BinaryOp::Mul, true, 196, 480},
};

template <class T>
bool add(const std::string& type, std::span<const KernelVariant<Binary<T>>> variants) {
  for (const Case& c : kCases) {
    const std::string name = "binary_" + type + "/" + c.name + "/" + std::to_string(c.rows) + "x" +
                             std::to_string(c.cols);
    bench_variants(name, variants, [c](benchmark::State& state, Binary<T> kernel) {
      const std::vector<T> a(c.rows * c.cols), b(c.rows * c.cols);
      std::vector<T> y(c.rows * c.cols);
      const BinaryArgs<T> args{
          c.op,    c.rows, c.cols, {a.data(), c.cols, 1}, {b.data(), c.per_column ? 0 : c.cols, 1},
          y.data()};
      for (auto _ : state) {
        kernel(args);
        benchmark::ClobberMemory();
      }
      set_rate(state, "bytes", (c.per_column ? 2 : 3) * y.size() * sizeof(T));
    });
  }
  return true;
}

const bool kAdded =
    add<float>("f32", binary_f32_variants()) && add<Half>("f16", binary_f16_variants());

}  // namespace
}  // namespace hone
