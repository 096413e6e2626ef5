#include "hone/kernels/gemm/gemm_variants.h"
#include "hone/kernels/gemm/gemm_x86.h"
#include "hone/kernels/x86_vectors.h"

namespace hone {

// 6 x 2 vectors of sums, two of weights and a broadcast fill 15 of 16 registers.
void gemm_f32_avx2(const GemmTile<float>& tile) {
  run_gemm_x86<F32x8, kGemmAvx2Rows, 2>(tile);
}

}  // namespace hone
