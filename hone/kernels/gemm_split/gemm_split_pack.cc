#include <algorithm>
#include <cmath>

#include "hone/kernels/gemm_split/gemm_split_variants.h"

namespace hone {
namespace {

// The parts of x, the first at `to` and the others each `stride` behind the one before.
void write_nearest_parts(float x, BFloat16* to, size_t stride) {
  for (size_t part = 0; part < kSplitParts; ++part, to += stride) {
    *to = BFloat16(x);
    x -= float{*to};
  }
}

}  // namespace

bool gemm_split_takes(const GemmWeights<float>& w) {
  for (size_t column = 0; column < w.n; ++column) {
    if (w.bias != nullptr && !std::isfinite(w.bias[column])) return false;
    for (size_t k = 0; k < w.k; ++k) {
      const float weight = w.data[column * w.column_stride + k * w.depth_stride];
      if (!(std::abs(weight) < kSplitLimit)) return false;
    }
  }
  return true;
}

void gemm_split_pack(const GemmSplitKernel& kernel, const GemmWeights<float>& w, size_t first,
                     size_t last, std::byte* out) {
  const size_t nr = kernel.nr, tiles = nr / kSplitTile;
  for (size_t panel = first; panel < last; ++panel, out += kernel.panel_bytes(w.k)) {
    const size_t column = panel * nr, cols = std::min(nr, w.n - column);
    std::fill(out, out + kernel.panel_bytes(w.k), std::byte{});
    auto* biases = reinterpret_cast<float*>(out);
    auto* weights = reinterpret_cast<BFloat16*>(biases + nr);
    for (size_t c = 0; c < cols; ++c) {
      if (w.bias != nullptr) biases[c] = w.bias[column + c];
      for (size_t k = 0; k < w.k; ++k) {
        write_nearest_parts(w.data[(column + c) * w.column_stride + k * w.depth_stride],
                            weights + split_column_at(c, k, tiles), tiles * kSplitTileElements);
      }
    }
  }
}

}  // namespace hone
