#include "hone/kernels/gemm/gemm_variants.h"
#include "hone/kernels/gemm/gemm_x86.h"

namespace hone {

// Rows are converted into one buffer, so that they need no pointers, and 14 rows share what a
// conversion of weights costs.
void gemm_f16_avx512(const GemmTile<Half>& tile) {
  if (tile.cols <= HalfF32x16::kLanes) return run_gemm_x86<HalfF32x16, 1, kGemmF16Rows>(tile);
  run_gemm_x86<HalfF32x16, 2, kGemmF16Rows>(tile);
}

}  // namespace hone
