#include "hone/kernels/transpose/transpose.h"

#include <cstdint>
#include <vector>

#include "hone/kernels/kernel_benching.h"

namespace hone {
namespace {

// NCHW to NHWC and back.
template <class T>
bool add(const std::string& type) {
  struct Size {
    const char* name;
    size_t rows;
    size_t cols;
  };
  for (const Size s : {Size{"3x224x224_to_nhwc", 3, 224 * 224}, Size{"64x56x56_to_nhwc", 64, 3136},
                       Size{"64x56x56_to_nchw", 3136, 64}}) {
    bench_variants("transpose_" + type + "/" + s.name, transpose_2d_variants(),
                   [s](benchmark::State& state, const Transpose2d& kernel) {
                     const std::vector<T> x(s.rows * s.cols);
                     std::vector<T> y(x.size());
                     const size_t shape[] = {s.rows, s.cols}, perm[] = {1, 0};
                     const TransposePlan plan(shape, perm, sizeof(T));
                     for (auto _ : state) {
                       plan.run(kernel, x.data(), y.data(), 0, plan.units());
                       benchmark::ClobberMemory();
                     }
                     set_rate(state, "bytes", 2 * x.size() * sizeof(T));
                   });
  }
  return true;
}

const bool kAdded = add<uint8_t>("1") && add<uint16_t>("2") && add<uint32_t>("4");

}  // namespace
}  // namespace hone
