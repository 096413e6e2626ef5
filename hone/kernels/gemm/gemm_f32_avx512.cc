#include "hone/kernels/gemm/gemm_variants.h"
#include "hone/kernels/gemm/gemm_x86.h"
#include "hone/kernels/x86_vectors.h"

namespace hone {

// 8 x 2 vectors of sums: two pipes with a latency of four cycles want 8 at least, and more rows
// would need more pointers than there are registers for.
void gemm_f32_avx512(const GemmTile<float>& tile) {
  run_gemm_x86<F32x16, kGemmAvx512Rows, 2>(tile);
}

}  // namespace hone
