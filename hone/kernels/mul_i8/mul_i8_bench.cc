#include "hone/kernels/mul_i8/mul_i8.h"

#include <vector>

#include "hone/kernels/kernel_benching.h"

namespace hone {
namespace {

// Squeeze-excite scales of MobileNetV3.
bool add(const char* name, Rounding rounding) {
  return bench_variants(name, mul_i8_variants(),
                        [rounding](benchmark::State& state, MulI8<int8_t> kernel) {
                          constexpr size_t kRows = 196, kCols = 480;
                          const std::vector<int8_t> a(kRows * kCols), b(kCols);
                          std::vector<int8_t> y(kRows * kCols);
                          const MulI8Args<int8_t> args{
                              .rows = kRows,
                              .cols = kCols,
                              .a = {a.data(), kCols, 1},
                              .b = {b.data(), 0, 1},
                              .y = y.data(),
                              .y_stride = kCols,
                              .a_zero = 3,
                              .b_zero = -5,
                              .y_zero = 7,
                              .factor = fixed_point(0.01),
                              .rounding = rounding,
                              .low = -128,
                              .high = 127,
                          };
                          for (auto _ : state) {
                            kernel(args);
                            benchmark::ClobberMemory();
                          }
                          set_rate(state, "elements", y.size());
                        });
}

const bool kAdded = add("mul_i8/double", Rounding::Double) &&
                    add("mul_i8/single", Rounding::Single) &&
                    add("mul_i8/double_upward", Rounding::DoubleUpward);

}  // namespace
}  // namespace hone
