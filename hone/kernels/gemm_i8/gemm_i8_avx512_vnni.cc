// The tile by VPDPBUSD: four unsigned values of k of one row, times 16 columns. Signed activations
// are flipped to unsigned ones on packing.
//
// 12 x 32 takes 24 registers of sums; four values of k are 24 products, two loads of weights and
// twelve broadcasts, which are loads too.
#if defined(__x86_64__)
#include <cstring>
#include <type_traits>

#include "hone/kernels/gemm_i8/gemm_i8_finish_avx512.h"
#include "hone/kernels/gemm_i8/gemm_i8_tiles.h"
#include "hone/kernels/gemm_i8/gemm_i8_variants.h"
#include "hone/kernels/unroll.h"

namespace hone {
namespace {

constexpr size_t kRows = 12;
constexpr size_t kColumns = 32;

template <size_t kTileRows, size_t kVectors, class A, class Y, class Finish>
void run_tile(const GemmI8Strip<A, Y>& strip, const GemmI8Panel& panel, const Finish& finish,
              const uint8_t* a, size_t rows, Y* y) {
  __m512i sums[kTileRows][2];
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
  if constexpr (kVectors == 1 && !std::is_same_v<Y, int32_t>) {
    HONE_UNROLL
    for (size_t r = 0; r < kTileRows; r += 4, y += 4 * strip.y_stride) {
      if (r >= rows) return;
      finish.store({sums[r][0], sums[r + 1][0], sums[r + 2][0], sums[r + 3][0]}, rows - r, y);
    }
  } else {
    HONE_UNROLL
    for (size_t r = 0; r < kTileRows; r += 2, y += 2 * strip.y_stride) {
      if (r >= rows) return;
      if constexpr (kVectors == 1) sums[r][1] = sums[r + 1][1] = _mm512_setzero_si512();
      if (r + 1 == rows) return finish.store(sums[r], sums[r], y, y);
      finish.store(sums[r], sums[r + 1], y, y + strip.y_stride);
    }
  }
}

template <size_t kVectors, class A, class Y>
void run_strip(const GemmI8Strip<A, Y>& strip) {
  const GemmI8Panel panel(strip.panel, kColumns);
  with_panel_finish<A, Y, kVectors>(panel, strip, [&](const auto& finish) {
    for_each_tile<kRows>(strip, [&]<size_t kTileRows>(const uint8_t* a, size_t rows, Y* y) {
      run_tile<kTileRows, kVectors>(strip, panel, finish, a, rows, y);
    });
  });
}

}  // namespace

template <class A, class Y>
void gemm_i8_avx512_vnni(const GemmI8Strip<A, Y>& strip) {
  if (strip.cols > 16) return run_strip<2>(strip);
  run_strip<1>(strip);
}

template void gemm_i8_avx512_vnni(const GemmI8Strip<int8_t>&);
template void gemm_i8_avx512_vnni(const GemmI8Strip<int8_t, int32_t>&);
template void gemm_i8_avx512_vnni(const GemmI8Strip<uint8_t>&);
template void gemm_i8_avx512_vnni(const GemmI8Strip<uint8_t, int32_t>&);

}  // namespace hone
#endif
