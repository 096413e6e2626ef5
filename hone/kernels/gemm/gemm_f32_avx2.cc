#include "hone/kernels/gemm/gemm_variants.h"
#include "hone/kernels/gemm/gemm_x86.h"

namespace hone {
namespace {

constexpr size_t kNarrowRows = 11;

}  // namespace

// 6 x 2 vectors of sums, two of weights and a broadcast fill 15 of 16 registers. One vector of
// columns takes as many rows as there are registers for pointers.
void gemm_f32_avx2(const GemmTile<float>& tile) {
  if (tile.cols <= F32x8::kLanes) return run_gemm_x86<F32x8, 1, kNarrowRows>(tile);
  run_gemm_x86<F32x8, 2, kGemmAvx2Rows>(tile);
}

// Every panel but a product's last has whole vectors.
void gemm_f32_avx2_pairs(const GemmTile<float>& tile) {
  if (tile.cols % F32x8::kLanes == 0) return gemm_f32_avx2(tile);
  if (tile.cols <= F32x8::kLanes) return run_gemm_x86<PairedF32x8, 1, kNarrowRows>(tile);
  run_gemm_x86<PairedF32x8, 2, kGemmAvx2Rows>(tile);
}

}  // namespace hone
