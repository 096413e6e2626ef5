#include "hone/kernels/gemm/gemm_neon.h"
#include "hone/kernels/gemm/gemm_variants.h"
#include "hone/kernels/neon_vectors.h"

namespace hone {

void gemm_f32_neon(const GemmTile<float>& tile) {
  run_gemm_neon<NeonF32>(tile);
}

}  // namespace hone
