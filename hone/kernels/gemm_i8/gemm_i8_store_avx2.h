// How a tile of sixteen columns, two vectors of eight sums a row, leaves the registers: for the AVX2
// and AVX-VNNI variants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "hone/kernels/gemm_i8/gemm_i8.h"
#include "hone/kernels/gemm_i8/gemm_i8_requantize_x86.h"
#include "hone/kernels/unroll.h"
#include "hone/kernels/x86_vectors.h"

namespace hone {
namespace {

constexpr size_t kColumns = 16;
constexpr size_t kVectors = kColumns / Int32x8::kLanes;

// Sixteen outputs.
template <class A>
inline __m128i narrow(const GemmI8PanelHeader& header, const __m256i (&scaled)[kVectors]) {
  const __m256i halves = _mm256_permute4x64_epi64(_mm256_packs_epi32(scaled[0], scaled[1]), 0xD8);
  const __m256i y =
      _mm256_adds_epi16(halves, _mm256_set1_epi16(static_cast<int16_t>(header.zero_point)));
  const __m128i bytes = narrow_avx2(y, A());
  return clamp_avx2(bytes, _mm_set1_epi8(static_cast<char>(header.low)),
                    _mm_set1_epi8(static_cast<char>(header.high)), A());
}

inline void store_row(size_t cols, const __m256i (&sums)[kVectors], int32_t* y) {
  int32_t values[kColumns];
  int32_t* to = cols == kColumns ? y : values;
  for (size_t v = 0; v < kVectors; ++v) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 8 * v), sums[v]);
  }
  if (to == values) std::memcpy(y, values, cols * sizeof(int32_t));
}

template <class A>
inline void store_row(size_t cols, __m128i outputs, A* y) {
  if (cols == kColumns) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(y), outputs);
    return;
  }
  A values[kColumns];
  _mm_storeu_si128(reinterpret_cast<__m128i*>(values), outputs);
  std::memcpy(y, values, cols);
}

// Scaled to the type of y, unless that is int32_t.
template <class A, class Y, size_t kTileRows>
[[gnu::always_inline]] inline void store_tile(const GemmI8Strip<A, Y>& strip,
                                              const GemmI8Panel& panel,
                                              __m256i (&sums)[kTileRows][kVectors], size_t rows,
                                              Y* y) {
  HONE_UNROLL
  for (size_t r = 0; r < kTileRows; ++r, y += strip.y_stride) {
    if (r >= rows) return;
    if constexpr (std::is_same_v<Y, int32_t>) {
      store_row(strip.cols, sums[r], y);
    } else {
      scale_row<Int32x8>(panel, sums[r]);
      store_row(strip.cols, narrow<A>(*panel.header, sums[r]), y);
    }
  }
}

}  // namespace
}  // namespace hone
