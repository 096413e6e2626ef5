#include "hone/kernels/column_sums/column_sums.h"

#include <vector>

#include "hone/kernels/kernel_benching.h"

namespace hone {
namespace {

// What a squeeze of MobileNetV3 adds up.
const bool kAdded = bench_variants("column_sums_i8/14x14x480", column_sums_i8_variants(),
                                   [](benchmark::State& state, ColumnSums<int8_t> kernel) {
                                     constexpr size_t kRows = 14 * 14, kCols = 480;
                                     const std::vector<int8_t> x(kRows * kCols);
                                     std::vector<int32_t> sums(kCols);
                                     for (auto _ : state) {
                                       kernel(kRows, kCols, kCols, x.data(), sums.data());
                                       benchmark::ClobberMemory();
                                     }
                                     set_rate(state, "elements", x.size());
                                   });

}  // namespace
}  // namespace hone
