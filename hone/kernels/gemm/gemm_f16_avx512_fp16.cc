#include "hone/kernels/gemm/gemm_variants.h"
#include "hone/kernels/gemm/gemm_x86.h"

namespace hone {

// 7 x 4 vectors of sums and four of weights fill all registers; 32 loads a step take 16 cycles for
// the 14 of its multiply-adds.
void gemm_f16_avx512_fp16(const GemmTile<Half>& tile) {
  switch ((tile.cols + F16x32::kLanes - 1) / F16x32::kLanes) {
    case 1:
      return run_gemm_x86<F16x32, 1, 10>(tile);
    case 2:
      return run_gemm_x86<F16x32, 2, kGemmAvx512Rows>(tile);
    case 3:
      return run_gemm_x86<F16x32, 3, kGemmAvx512Rows>(tile);
    default:
      return run_gemm_x86<F16x32, 4, kGemmAvx512Rows>(tile);
  }
}

}  // namespace hone
