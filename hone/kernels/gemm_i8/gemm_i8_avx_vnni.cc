// The tile by VPDPBUSD of AVX-VNNI: four unsigned values of k of one row, times eight columns. Signed
// activations are flipped to unsigned ones on packing.
//
// 6 x 16 takes 12 of 16 registers for sums; four values of k are 12 products, two loads of weights
// and six broadcasts, which are loads too.
#if defined(__x86_64__)
#include <immintrin.h>

#include <cstring>

#include "hone/kernels/gemm_i8/gemm_i8_store_avx2.h"
#include "hone/kernels/gemm_i8/gemm_i8_tiles.h"
#include "hone/kernels/gemm_i8/gemm_i8_variants.h"
#include "hone/kernels/unroll.h"
#include "hone/kernels/x86_vectors.h"

namespace hone {
namespace {

constexpr size_t kRows = 6;

template <class A, class Y, size_t kTileRows>
void run_tile(const GemmI8Strip<A, Y>& strip, const GemmI8Panel& panel, const uint8_t* a,
              size_t rows, Y* y) {
  __m256i sums[kTileRows][kVectors];
  HONE_UNROLL
  for (size_t r = 0; r < kTileRows; ++r) {
    HONE_UNROLL
    for (size_t v = 0; v < kVectors; ++v) sums[r][v] = Int32x8::load(panel.bias + 8 * v);
  }
  const int8_t* w = panel.weights;
  for (size_t k = 0; k < strip.k; k += 8, a += 8 * kTileRows) {
    HONE_UNROLL
    for (size_t half = 0; half < 2; ++half, w += 4 * kColumns) {
      const __m256i left = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(w));
      const __m256i right = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(w + 32));
      HONE_UNROLL
      for (size_t r = 0; r < kTileRows; ++r) {
        int32_t four;
        std::memcpy(&four, a + 8 * r + 4 * half, sizeof(four));
        const __m256i row = _mm256_set1_epi32(four);
        sums[r][0] = _mm256_dpbusd_avx_epi32(sums[r][0], row, left);
        sums[r][1] = _mm256_dpbusd_avx_epi32(sums[r][1], row, right);
      }
    }
  }
  store_tile(strip, panel, sums, rows, y);
}

}  // namespace

template <class A, class Y>
void gemm_i8_avx_vnni(const GemmI8Strip<A, Y>& strip) {
  const GemmI8Panel panel(strip.panel, kColumns);
  for_each_tile<kRows>(strip, [&]<size_t kTileRows>(const uint8_t* a, size_t rows, Y* y) {
    run_tile<A, Y, kTileRows>(strip, panel, a, rows, y);
  });
}

template void gemm_i8_avx_vnni(const GemmI8Strip<int8_t>&);
template void gemm_i8_avx_vnni(const GemmI8Strip<int8_t, int32_t>&);
template void gemm_i8_avx_vnni(const GemmI8Strip<uint8_t>&);
template void gemm_i8_avx_vnni(const GemmI8Strip<uint8_t, int32_t>&);

}  // namespace hone
#endif
