#include "hone/kernels/avx512.h"
#include "hone/kernels/gemm/gemm_variants.h"
#include "hone/kernels/gemm/gemm_x86.h"

namespace hone {
namespace {

struct Avx512 {
  using Vec = __m512;
  static constexpr size_t kLanes = 16;
  static Vec load(const float* x) { return _mm512_loadu_ps(x); }
  static void store(float* y, Vec x) { _mm512_storeu_ps(y, x); }
  static Vec broadcast(float x) { return _mm512_set1_ps(x); }
  static Vec add(Vec a, Vec b) { return _mm512_add_ps(a, b); }
  static Vec min(Vec a, Vec b) { return _mm512_min_ps(a, b); }
  static Vec max(Vec a, Vec b) { return _mm512_max_ps(a, b); }
  static Vec fma(Vec a, Vec b, Vec sum) { return _mm512_fmadd_ps(a, b, sum); }
};

}  // namespace

// 8 x 2 vectors of sums: two pipes with a latency of four cycles want 8 at least, and more rows
// would need more pointers than there are registers for.
void gemm_f32_avx512(const GemmTile<float>& tile) {
  run_gemm_x86<Avx512, kGemmAvx512Rows, 2>(tile);
}

}  // namespace hone
