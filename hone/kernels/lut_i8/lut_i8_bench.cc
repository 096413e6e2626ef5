#include "hone/kernels/lut_i8/lut_i8.h"

#include <vector>

#include "hone/kernels/kernel_benching.h"

namespace hone {
namespace {

const bool kAdded = bench_variants("lut_i8/14x14x480", lut_i8_variants(),
                                   [](benchmark::State& state, LutI8 kernel) {
                                     const std::vector<uint8_t> table(256), x(14 * 14 * 480);
                                     std::vector<uint8_t> y(x.size());
                                     for (auto _ : state) {
                                       kernel(x.size(), table.data(), x.data(), y.data());
                                       benchmark::ClobberMemory();
                                     }
                                     set_rate(state, "elements", x.size());
                                   });

}  // namespace
}  // namespace hone
