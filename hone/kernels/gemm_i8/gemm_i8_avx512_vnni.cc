// The tile by VPDPBUSD: four unsigned values of k of one row, times 16 columns. Signed activations
// are flipped to unsigned ones on packing.
//
// 12 x 32 takes 24 registers of sums; four values of k are 24 products, two loads of weights and
// twelve broadcasts, which are loads too.
#if defined(__x86_64__)
#include <algorithm>
#include <cstring>
#include <type_traits>

#include "hone/kernels/gemm_i8/gemm_i8_requantize_x86.h"
#include "hone/kernels/gemm_i8/gemm_i8_tiles.h"
#include "hone/kernels/gemm_i8/gemm_i8_variants.h"
#include "hone/kernels/unroll.h"
#include "hone/kernels/x86_vectors.h"

namespace hone {
namespace {

constexpr size_t kRows = 12;
constexpr size_t kColumns = 32;

// Sixteen outputs. The zero point must not overflow, so scaled sums are first cut off far outside
// the range of the outputs.
__m128i narrow(const GemmI8PanelHeader& header, __m512i scaled, bool is_signed) {
  const __m512i bound = _mm512_set1_epi32(1 << 20);
  scaled = _mm512_min_epi32(scaled, bound);
  scaled = _mm512_max_epi32(scaled, _mm512_sub_epi32(_mm512_setzero_si512(), bound));
  __m512i y = _mm512_add_epi32(scaled, _mm512_set1_epi32(header.zero_point));
  y = _mm512_max_epi32(y, _mm512_set1_epi32(header.low));
  y = _mm512_min_epi32(y, _mm512_set1_epi32(header.high));
  return is_signed ? _mm512_cvtsepi32_epi8(y) : _mm512_cvtusepi32_epi8(y);
}

template <class A, class Y, size_t kTileRows, size_t kVectors>
void run_tile(const GemmI8Strip<A, Y>& strip, const GemmI8Panel& panel, const uint8_t* a,
              size_t rows, Y* y) {
  __m512i sums[kTileRows][kVectors];
  HONE_UNROLL
  for (size_t r = 0; r < kTileRows; ++r) {
    HONE_UNROLL
    for (size_t v = 0; v < kVectors; ++v) sums[r][v] = Int32x16::load(panel.bias + 16 * v);
  }
  const int8_t* w = panel.weights;
  for (size_t k = 0; k < strip.k; k += 8, a += 8 * kTileRows) {
    HONE_UNROLL
    for (size_t half = 0; half < 2; ++half, w += 4 * kColumns) {
      __m512i columns[kVectors];
      HONE_UNROLL
      for (size_t v = 0; v < kVectors; ++v) columns[v] = _mm512_loadu_si512(w + 64 * v);
      HONE_UNROLL
      for (size_t r = 0; r < kTileRows; ++r) {
        int32_t four;
        std::memcpy(&four, a + 8 * r + 4 * half, sizeof(four));
        const __m512i row = _mm512_set1_epi32(four);
        HONE_UNROLL
        for (size_t v = 0; v < kVectors; ++v) {
          sums[r][v] = _mm512_dpbusd_epi32(sums[r][v], row, columns[v]);
        }
      }
    }
  }
  HONE_UNROLL
  for (size_t r = 0; r < kTileRows; ++r, y += strip.y_stride) {
    if (r >= rows) return;
    if constexpr (std::is_same_v<Y, A>) scale_row<Int32x16>(panel, sums[r]);
    HONE_UNROLL
    for (size_t v = 0; v < kVectors; ++v) {
      const size_t cols = std::min<size_t>(16, strip.cols - 16 * v);
      const auto mask = static_cast<__mmask16>((1u << cols) - 1);
      if constexpr (std::is_same_v<Y, int32_t>) {
        _mm512_mask_storeu_epi32(y + 16 * v, mask, sums[r][v]);
      } else {
        _mm_mask_storeu_epi8(y + 16 * v, mask,
                             narrow(*panel.header, sums[r][v], std::is_signed_v<A>));
      }
    }
  }
}

template <class A, class Y, size_t kVectors>
void run_strip(const GemmI8Strip<A, Y>& strip) {
  const GemmI8Panel panel(strip.panel, kColumns);
  for_each_tile<kRows>(strip, [&]<size_t kTileRows>(const uint8_t* a, size_t rows, Y* y) {
    run_tile<A, Y, kTileRows, kVectors>(strip, panel, a, rows, y);
  });
}

}  // namespace

template <class A, class Y>
void gemm_i8_avx512_vnni(const GemmI8Strip<A, Y>& strip) {
  if (strip.cols > 16) return run_strip<A, Y, 2>(strip);
  run_strip<A, Y, 1>(strip);
}

template void gemm_i8_avx512_vnni(const GemmI8Strip<int8_t>&);
template void gemm_i8_avx512_vnni(const GemmI8Strip<int8_t, int32_t>&);
template void gemm_i8_avx512_vnni(const GemmI8Strip<uint8_t>&);
template void gemm_i8_avx512_vnni(const GemmI8Strip<uint8_t, int32_t>&);

}  // namespace hone
#endif
