#include <algorithm>

#include "hone/kernels/gemm/gemm.h"
#include "hone/kernels/gemm/gemm_variants.h"

namespace hone {
namespace {

template <class T>
void run(const GemmTile<T>& tile, size_t nr) {
  for (size_t r = 0; r < tile.rows; ++r) {
    for (size_t n = 0; n < tile.cols; ++n) {
      double sum = static_cast<float>(tile.b[n]);
      const T* b = tile.b + nr + n;
      for (size_t t = 0; t < tile.taps; ++t) {
        const T* a = tile.tap(r, t);
        for (size_t k = 0; k < tile.depth; ++k, b += nr) {
          sum += static_cast<double>(static_cast<float>(a[k])) * static_cast<float>(*b);
        }
      }
      if (tile.residual != nullptr) {
        sum += static_cast<float>(tile.residual[r * tile.residual_stride + n]);
      }
      const float clamped = std::min(std::max(static_cast<float>(sum), tile.low), tile.high);
      tile.c[r * tile.c_stride + n] = static_cast<T>(clamped);
    }
  }
}

}  // namespace

void gemm_f32_ref(const GemmTile<float>& tile) {
  run(tile, kGemmRefColumns);
}
void gemm_f16_ref(const GemmTile<Half>& tile) {
  run(tile, kGemmRefColumns);
}

}  // namespace hone
