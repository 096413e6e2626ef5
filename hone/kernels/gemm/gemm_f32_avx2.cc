#include <immintrin.h>

#include "hone/kernels/gemm/gemm_variants.h"
#include "hone/kernels/gemm/gemm_x86.h"

namespace hone {
namespace {

struct Avx2 {
  using Vec = __m256;
  static constexpr size_t kLanes = 8;
  static Vec load(const float* x) { return _mm256_loadu_ps(x); }
  static void store(float* y, Vec x) { _mm256_storeu_ps(y, x); }
  static Vec broadcast(float x) { return _mm256_set1_ps(x); }
  static Vec add(Vec a, Vec b) { return _mm256_add_ps(a, b); }
  static Vec min(Vec a, Vec b) { return _mm256_min_ps(a, b); }
  static Vec max(Vec a, Vec b) { return _mm256_max_ps(a, b); }
  static Vec fma(Vec a, Vec b, Vec sum) { return _mm256_fmadd_ps(a, b, sum); }
};

}  // namespace

// 6 x 2 vectors of sums, two of weights and a broadcast fill 15 of 16 registers.
void gemm_f32_avx2(const GemmTile<float>& tile) {
  run_gemm_x86<Avx2, kGemmAvx2Rows, 2>(tile);
}

}  // namespace hone
