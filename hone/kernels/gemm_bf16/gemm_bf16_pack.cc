#include <algorithm>

#include "hone/kernels/gemm_bf16/gemm_bf16.h"

namespace hone {
namespace {

// The biases of columns 0, 1, 0, 1, 2, 3, 2, 3, ...
void pack_bias(const float* bias, size_t cols, size_t nr, float* out) {
  for (size_t c = 0; c < nr; c += 2) {
    for (size_t i = 0; i < 4; ++i) {
      const size_t column = c + i % 2;
      *out++ = bias != nullptr && column < cols ? bias[column] : 0;
    }
  }
}

// One tap of the columns from `from` on. Returns where the next one goes.
BFloat16* pack_tap(const GemmWeights<float>& w, const float* from, size_t depth, size_t cols,
                   size_t nr, BFloat16* out) {
  for (size_t k = 0; k < depth; k += kGemmBf16Depth) {
    for (size_t c = 0; c < nr; ++c) {
      for (size_t i = 0; i < kGemmBf16Depth; ++i) {
        const bool there = c < cols && k + i < depth;
        *out++ =
            there ? BFloat16(from[c * w.column_stride + (k + i) * w.depth_stride]) : BFloat16();
      }
    }
  }
  return out;
}

}  // namespace

void gemm_bf16_pack(const GemmBf16Kernel& kernel, const GemmWeights<float>& w, size_t depth,
                    size_t first, size_t last, std::byte* out) {
  const size_t nr = kernel.nr;
  const size_t bytes = kernel.panel_bytes(gemm_bf16_steps(depth == 0 ? 0 : w.k / depth, depth));
  for (size_t panel = first; panel < last; ++panel, out += bytes) {
    const size_t column = panel * nr;
    const size_t cols = std::min(nr, w.n - column);
    auto* bias = reinterpret_cast<float*>(out);
    pack_bias(w.bias == nullptr ? nullptr : w.bias + column, cols, nr, bias);
    auto* to = reinterpret_cast<BFloat16*>(bias + 2 * nr);
    for (size_t k = 0; k < w.k; k += depth) {
      const float* from = w.data + column * w.column_stride + k * w.depth_stride;
      to = pack_tap(w, from, depth, cols, nr, to);
    }
  }
}

}  // namespace hone
