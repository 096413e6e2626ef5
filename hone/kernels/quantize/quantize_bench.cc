#include "hone/kernels/quantize/quantize.h"

#include <vector>

#include "hone/kernels/kernel_benching.h"

namespace hone {
namespace {

constexpr size_t kImage = 224 * 224 * 3;

const bool kQuantize = bench_variants("quantize_i8/224x224x3", quantize_i8_variants(),
                                      [](benchmark::State& state, Quantize<int8_t> kernel) {
                                        const std::vector<float> x(kImage, 1.3f);
                                        std::vector<int8_t> y(kImage);
                                        const QuantizeI8 args{0.02f, 3, true, -128, 127};
                                        for (auto _ : state) {
                                          kernel(args, kImage, x.data(), y.data());
                                          benchmark::ClobberMemory();
                                        }
                                        set_rate(state, "elements", kImage);
                                      });

const bool kDequantize = bench_variants("dequantize_i8/224x224x3", dequantize_i8_variants(),
                                        [](benchmark::State& state, Dequantize<int8_t> kernel) {
                                          const std::vector<int8_t> x(kImage);
                                          std::vector<float> y(kImage);
                                          for (auto _ : state) {
                                            kernel(0.02f, 3, kImage, x.data(), y.data());
                                            benchmark::ClobberMemory();
                                          }
                                          set_rate(state, "elements", kImage);
                                        });

}  // namespace
}  // namespace hone
