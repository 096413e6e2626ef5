#include "hone/kernels/gemm/gemm_variants.h"
#include "hone/kernels/gemm/gemm_x86.h"

namespace hone {

// As the tile of floats, with two conversions for 12 multiply-adds.
void gemm_f16_avx2(const GemmTile<Half>& tile) {
  if (tile.cols <= HalfF32x8::kLanes) return run_gemm_x86<HalfF32x8, 1, 12>(tile);
  run_gemm_x86<HalfF32x8, 2, kGemmAvx2Rows>(tile);
}

}  // namespace hone
