#include "hone/kernels/gemm/gemm_neon.h"
#include "hone/kernels/gemm/gemm_variants.h"
#include "hone/kernels/neon_vectors.h"

namespace hone {

void gemm_f16_neon_fp16(const GemmTile<Half>& tile) {
  run_gemm_neon<NeonF16>(tile);
}

}  // namespace hone
