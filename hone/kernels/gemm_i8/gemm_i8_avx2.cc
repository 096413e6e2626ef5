// The tile with AVX2: two values of k of one row, times eight columns, by VPMADDWD on values
// widened to 16 bits. VPMADDUBSW would take four times the values but saturates, and would not be
// exact.
#if defined(__x86_64__)
#include <immintrin.h>

#include "hone/kernels/gemm_i8/gemm_i8_store_avx2.h"
#include "hone/kernels/gemm_i8/gemm_i8_tiles.h"
#include "hone/kernels/gemm_i8/gemm_i8_variants.h"
#include "hone/kernels/unroll.h"
#include "hone/kernels/x86_vectors.h"

namespace hone {
namespace {

constexpr size_t kRows = 6;

// Eight values to 16 bits.
__m128i widen(const uint8_t* a, int8_t) {
  return _mm_cvtepi8_epi16(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(a)));
}
__m128i widen(const uint8_t* a, uint8_t) {
  return _mm_cvtepu8_epi16(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(a)));
}

__m256i widen16(const int8_t* w) {
  return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(w)));
}

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
    // By way of memory, from where a broadcast is a mere load; a shuffle would compete with the
    // widening of the weights.
    alignas(16) int32_t pairs[kTileRows][4];
    HONE_UNROLL
    for (size_t r = 0; r < kTileRows; ++r) {
      _mm_store_si128(reinterpret_cast<__m128i*>(pairs[r]), widen(a + 8 * r, A()));
    }
    asm("" : "+m"(pairs));  // Or g++ would shuffle all the same.
    HONE_UNROLL
    for (size_t i = 0; i < 4; ++i, w += 2 * kColumns) {
      const __m256i left = widen16(w), right = widen16(w + 16);
      HONE_UNROLL
      for (size_t r = 0; r < kTileRows; ++r) {
        const __m256i row = _mm256_set1_epi32(pairs[r][i]);
        sums[r][0] = add_in_place(sums[r][0], _mm256_madd_epi16(row, left));
        sums[r][1] = add_in_place(sums[r][1], _mm256_madd_epi16(row, right));
      }
    }
  }
  store_tile(strip, panel, sums, rows, y);
}

}  // namespace

template <class A, class Y>
void gemm_i8_avx2(const GemmI8Strip<A, Y>& strip) {
  const GemmI8Panel panel(strip.panel, kColumns);
  for_each_tile<kRows>(strip, [&]<size_t kTileRows>(const uint8_t* a, size_t rows, Y* y) {
    run_tile<A, Y, kTileRows>(strip, panel, a, rows, y);
  });
}

template void gemm_i8_avx2(const GemmI8Strip<int8_t>&);
template void gemm_i8_avx2(const GemmI8Strip<int8_t, int32_t>&);
template void gemm_i8_avx2(const GemmI8Strip<uint8_t>&);
template void gemm_i8_avx2(const GemmI8Strip<uint8_t, int32_t>&);

}  // namespace hone
#endif
