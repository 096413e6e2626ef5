#include <algorithm>

#include "hone/kernels/gemm_bf16/gemm_bf16.h"

namespace hone {
namespace {

// Some columns of weights, on their way into a panel of `nr`.
struct Columns {
  const GemmWeights<float>& w;
  size_t first;
  size_t cols;
  size_t nr;

  BFloat16 weight(size_t column, size_t k) const {
    if (column >= cols) return BFloat16();
    return BFloat16(w.data[(first + column) * w.column_stride + k * w.depth_stride]);
  }
  float bias(size_t column) const {
    return w.bias != nullptr && column < cols ? w.bias[first + column] : 0;
  }
};

void pack_quads(const Columns& columns, size_t depth, float* out) {
  // The biases of columns 0, 1, 0, 1, 2, 3, 2, 3, ...
  for (size_t c = 0; c < columns.nr; c += 2) {
    for (size_t i = 0; i < 4; ++i) *out++ = columns.bias(c + i % 2);
  }
  auto* to = reinterpret_cast<BFloat16*>(out);
  for (size_t tap = 0; tap < columns.w.k; tap += depth) {
    for (size_t k = 0; k < depth; k += 4) {
      for (size_t c = 0; c < columns.nr; ++c) {
        for (size_t i = k; i < k + 4; ++i) {
          *to++ = i < depth ? columns.weight(c, tap + i) : BFloat16();
        }
      }
    }
  }
}

void pack_pairs(const Columns& columns, size_t padded, float* out) {
  for (size_t c = 0; c < columns.nr; ++c) *out++ = columns.bias(c);
  auto* to = reinterpret_cast<BFloat16*>(out);
  for (size_t k = 0; k < padded; k += 2) {
    for (size_t c = 0; c < columns.nr; ++c) {
      for (size_t i = k; i < k + 2; ++i)
        *to++ = i < columns.w.k ? columns.weight(c, i) : BFloat16();
    }
  }
}

}  // namespace

void gemm_bf16_pack(const GemmBf16Kernel& kernel, const GemmWeights<float>& w, size_t depth,
                    size_t first, size_t last, std::byte* out) {
  const size_t nr = kernel.nr;
  const size_t steps = kernel.steps(depth == 0 ? 0 : w.k / depth, depth);
  for (size_t panel = first; panel < last; ++panel, out += kernel.panel_bytes(steps)) {
    const size_t column = panel * nr;
    const Columns columns{w, column, std::min(nr, w.n - column), nr};
    auto* to = reinterpret_cast<float*>(out);
    if (kernel.quads()) {
      pack_quads(columns, depth, to);
    } else {
      pack_pairs(columns, steps * kernel.step(), to);
    }
  }
}

}  // namespace hone
