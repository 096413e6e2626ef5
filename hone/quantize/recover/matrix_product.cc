#include "hone/quantize/recover/matrix_product.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "hone/base/aligned.h"
#include "hone/base/parallel.h"
#include "hone/kernels/gemm/gemm.h"

namespace hone {
namespace {

constexpr size_t kStrip = 48;          // Rows that are a task.
constexpr double kWorthThreads = 2e7;  // Multiplications; a core takes a millisecond for them.
constexpr float kUnbounded = std::numeric_limits<float>::infinity();

}  // namespace

void add_product(const float* a, size_t rows, size_t depth, const MatrixColumns& b, float* c) {
  const GemmF32 kernel = best_variant(gemm_f32_variants()).run;
  const size_t panels = kernel.panels(b.count);
  AlignedArray<float> packed(kernel.packed_elements(b.count, depth));
  gemm_pack<float>({.data = b.data,
                    .n = b.count,
                    .k = depth,
                    .column_stride = b.column_stride,
                    .depth_stride = b.depth_stride,
                    .bias = nullptr},
                   kernel, 0, panels, packed.data());
  const auto strip = [&](size_t s) {
    const float* starts[kStrip];
    const size_t first = s * kStrip;
    const size_t count = std::min(kStrip, rows - first);
    for (size_t r = 0; r < count; ++r) starts[r] = a + (first + r) * depth;
    for (size_t p = 0; p < panels; ++p) {
      float* to = c + first * b.count + p * kernel.nr;
      kernel.run({.rows = count,
                  .cols = std::min(kernel.nr, b.count - p * kernel.nr),
                  .taps = 1,
                  .depth = depth,
                  .a = starts,
                  .b = packed.data() + p * kernel.panel_elements(depth),
                  .c = to,
                  .c_stride = b.count,
                  .residual = to,
                  .residual_stride = b.count,
                  .low = -kUnbounded,
                  .high = kUnbounded});
    }
  };
  const double work = static_cast<double>(rows) * static_cast<double>(depth * b.count);
  parallel_for((rows + kStrip - 1) / kStrip, work < kWorthThreads ? 1 : 0, strip);
}

}  // namespace hone
