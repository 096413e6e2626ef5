#include "hone/kernels/add_i8/add_i8.h"

#include <vector>

#include "hone/kernels/kernel_benching.h"

namespace hone {
namespace {

// A residual add of MobileNetV2.
bool add(const char* name, Rounding rounding, bool by_line = false) {
  return bench_variants(name, add_i8_variants(),
                        [rounding, by_line](benchmark::State& state, AddI8<int8_t> kernel) {
                          constexpr size_t kRows = 784, kCols = 32;
                          const std::vector<int8_t> a(kRows * kCols), b(kRows * kCols);
                          std::vector<int8_t> y(kRows * kCols);
                          AddI8Args<int8_t> args{kRows,
                                                 kCols,
                                                 {a.data(), kCols, 1},
                                                 {b.data(), kCols, 1},
                                                 y.data(),
                                                 kCols,
                                                 false,
                                                 3,
                                                 -5,
                                                 7,
                                                 fixed_point(0.5),
                                                 fixed_point(0.3),
                                                 fixed_point(1.7 / (1 << 20)),
                                                 rounding,
                                                 -128,
                                                 127};
                          if (by_line) args.line = add_i8_line(args);
                          for (auto _ : state) {
                            kernel(args);
                            benchmark::ClobberMemory();
                          }
                          set_rate(state, "elements", y.size());
                        });
}

const bool kAdded = add("add_i8/double", Rounding::Double) &&
                    add("add_i8/single", Rounding::Single) &&
                    add("add_i8/double_upward", Rounding::DoubleUpward) &&
                    add("add_i8/line", Rounding::Single, true);

}  // namespace
}  // namespace hone
