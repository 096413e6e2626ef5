#include "hone/kernels/activate/activate.h"

#include <vector>

#include "hone/kernels/kernel_benching.h"

namespace hone {
namespace {

using Kind = Activation::Kind;

struct Case {
  const char* name;
  Activation f;
};

const Case kCases[] = {
    {"relu6", {.low = 0, .high = 6}},        {"sigmoid", {.kind = Kind::Sigmoid}},
    {"silu", {.kind = Kind::Silu}},          {"hard_swish", {.kind = Kind::HardSwish}},
    {"tanh", {.kind = Kind::Tanh}},          {"gelu", {.kind = Kind::Gelu}},
    {"gelu_tanh", {.kind = Kind::GeluTanh}},
};

// A few rows that fit into the first cache, as after a tile of a convolution; and a layer of
// EfficientNet-B0.
struct Size {
  size_t rows;
  size_t cols;
};
const Size kSizes[] = {{28, 96}, {3136, 144}};

template <class T>
bool add(const std::string& type, std::span<const KernelVariant<Activate<T>>> variants) {
  for (const Case& c : kCases) {
    for (const Size& size : kSizes) {
      const std::string name = "activate_" + type + "/" + c.name + "/" + std::to_string(size.rows) +
                               "x" + std::to_string(size.cols);
      bench_variants(name, variants, [f = c.f, size](benchmark::State& state, Activate<T> kernel) {
        std::vector<T> x(size.rows * size.cols), y(x.size());
        for (size_t i = 0; i < x.size(); ++i) x[i] = T(static_cast<float>(i % 97) / 8 - 6);
        for (auto _ : state) {
          kernel(f, size.rows, size.cols, x.data(), size.cols, y.data(), size.cols);
          benchmark::ClobberMemory();
        }
        set_rate(state, "elements", x.size());
      });
    }
  }
  return true;
}

const bool kAdded =
    add<float>("f32", activate_f32_variants()) && add<Half>("f16", activate_f16_variants());

}  // namespace
}  // namespace hone
