#include "hone/kernels/gemm/gemm_variants.h"
#include "hone/kernels/gemm/gemm_x86.h"

namespace hone {
namespace {

constexpr size_t kNarrowRows = 11;

size_t vectors(const GemmTile<float>& tile) {
  return (tile.cols + F32x16::kLanes - 1) / F32x16::kLanes;
}

}  // namespace

// 7 x 4 vectors of sums leave three registers for weights and one for a broadcast: 17 loads and 28
// multiply-adds a step, of which two each start in a cycle. Images of 7, 14, 28 pixels are cut
// without a remainder. One vector of columns takes as many rows as there are registers for
// pointers, or the loads of weights would be too many and the sums too few for two pipes; of two,
// as many rows share what finding them costs in every tap.
void gemm_f32_avx512(const GemmTile<float>& tile) {
  switch (vectors(tile)) {
    case 1:
      return run_gemm_x86<F32x16, 1, kNarrowRows>(tile);
    case 2:
      return run_gemm_x86<F32x16, 2, kNarrowRows>(tile);
    case 3:
      return run_gemm_x86<F32x16, 3, kGemmAvx512Rows>(tile);
    default:
      return run_gemm_x86<F32x16, 4, kGemmAvx512Rows>(tile);
  }
}

// Every panel but a product's last has whole vectors.
void gemm_f32_avx512_pairs(const GemmTile<float>& tile) {
  if (tile.cols % F32x16::kLanes == 0) return gemm_f32_avx512(tile);
  switch (vectors(tile)) {
    case 1:
      return run_gemm_x86<PairedF32x16, 1, kNarrowRows>(tile);
    case 2:
      return run_gemm_x86<PairedF32x16, 2, kNarrowRows>(tile);
    case 3:
      return run_gemm_x86<PairedF32x16, 3, kGemmAvx512Rows>(tile);
    default:
      return run_gemm_x86<PairedF32x16, 4, kGemmAvx512Rows>(tile);
  }
}

}  // namespace hone
