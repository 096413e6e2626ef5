// The tile with AVX2: two values of k of one row, times eight columns, by VPMADDWD on values
// widened to 16 bits. VPMADDUBSW would take four times the values but saturates, and would not be
// exact.
#if defined(__x86_64__)
#include <immintrin.h>

#include <cstring>
#include <limits>
#include <type_traits>

#include "hone/kernels/gemm_i8/gemm_i8_requantize_x86.h"
#include "hone/kernels/gemm_i8/gemm_i8_variants.h"
#include "hone/kernels/unroll.h"

namespace hone {
namespace {

struct Int32x8 {
  using Vec = __m256i;
  static constexpr size_t kLanes = 8;

  static Vec load(const int32_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  static Vec set(int32_t x) { return _mm256_set1_epi32(x); }
  static Vec set64(int64_t x) { return _mm256_set1_epi64x(x); }
  static Vec add(Vec a, Vec b) { return _mm256_add_epi32(a, b); }
  static Vec sub(Vec a, Vec b) { return _mm256_sub_epi32(a, b); }
  static Vec max(Vec a, Vec b) { return _mm256_max_epi32(a, b); }
  static Vec and_(Vec a, Vec b) { return _mm256_and_si256(a, b); }
  static Vec xor_(Vec a, Vec b) { return _mm256_xor_si256(a, b); }
  static Vec sign(Vec a) { return _mm256_srai_epi32(a, 31); }
  static Vec sllv(Vec a, Vec n) { return _mm256_sllv_epi32(a, n); }
  static Vec srlv(Vec a, Vec n) { return _mm256_srlv_epi32(a, n); }
  static Vec srav(Vec a, Vec n) { return _mm256_srav_epi32(a, n); }
  static Vec mul_even(Vec a, Vec b) { return _mm256_mul_epi32(a, b); }
  static Vec add64(Vec a, Vec b) { return _mm256_add_epi64(a, b); }
  static Vec sub64(Vec a, Vec b) { return _mm256_sub_epi64(a, b); }
  static Vec sllv64(Vec a, Vec n) { return _mm256_sllv_epi64(a, n); }
  static Vec srlv64(Vec a, Vec n) { return _mm256_srlv_epi64(a, n); }
  template <int kBits>
  static Vec sll64(Vec a) {
    return _mm256_slli_epi64(a, kBits);
  }
  template <int kBits>
  static Vec srl64(Vec a) {
    return _mm256_srli_epi64(a, kBits);
  }
  static Vec blend_odd(Vec even, Vec odd) { return _mm256_blend_epi32(even, odd, 0xAA); }
  static Vec select_negative(Vec of, Vec if_negative, Vec otherwise) {
    return _mm256_blendv_epi8(otherwise, if_negative, sign(of));
  }
};

constexpr size_t kRows = 6;
constexpr size_t kColumns = 16;
constexpr size_t kVectors = kColumns / Int32x8::kLanes;

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

// Sixteen outputs, clamped.
__m128i narrow(const GemmI8PanelHeader& header, const __m256i (&scaled)[kVectors], int8_t) {
  const __m256i halves = _mm256_permute4x64_epi64(_mm256_packs_epi32(scaled[0], scaled[1]), 0xD8);
  const __m256i y =
      _mm256_adds_epi16(halves, _mm256_set1_epi16(static_cast<int16_t>(header.zero_point)));
  const __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(y), _mm256_extracti128_si256(y, 1));
  const __m128i low = _mm_set1_epi8(static_cast<char>(header.low));
  const __m128i high = _mm_set1_epi8(static_cast<char>(header.high));
  return _mm_min_epi8(_mm_max_epi8(bytes, low), high);
}
__m128i narrow(const GemmI8PanelHeader& header, const __m256i (&scaled)[kVectors], uint8_t) {
  const __m256i halves = _mm256_permute4x64_epi64(_mm256_packs_epi32(scaled[0], scaled[1]), 0xD8);
  const __m256i y =
      _mm256_adds_epi16(halves, _mm256_set1_epi16(static_cast<int16_t>(header.zero_point)));
  const __m128i bytes = _mm_packus_epi16(_mm256_castsi256_si128(y), _mm256_extracti128_si256(y, 1));
  const __m128i low = _mm_set1_epi8(static_cast<char>(header.low));
  const __m128i high = _mm_set1_epi8(static_cast<char>(header.high));
  return _mm_min_epu8(_mm_max_epu8(bytes, low), high);
}

template <class A, size_t kTileRows>
void run_tile(const GemmI8Strip<A>& strip, const GemmI8Panel& panel, const uint8_t* a, size_t rows,
              A* y) {
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
    HONE_UNROLL
    for (size_t i = 0; i < 4; ++i, w += 2 * kColumns) {
      const __m256i left = widen16(w), right = widen16(w + 16);
      HONE_UNROLL
      for (size_t r = 0; r < kTileRows; ++r) {
        const __m256i row = _mm256_set1_epi32(pairs[r][i]);
        sums[r][0] = _mm256_add_epi32(sums[r][0], _mm256_madd_epi16(row, left));
        sums[r][1] = _mm256_add_epi32(sums[r][1], _mm256_madd_epi16(row, right));
      }
    }
  }
  HONE_UNROLL
  for (size_t r = 0; r < kTileRows; ++r, y += strip.y_stride) {
    if (r >= rows) return;
    scale_row<Int32x8>(panel, sums[r]);
    const __m128i outputs = narrow(*panel.header, sums[r], A());
    if (strip.cols == kColumns) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(y), outputs);
      continue;
    }
    A values[kColumns];
    _mm_storeu_si128(reinterpret_cast<__m128i*>(values), outputs);
    std::memcpy(y, values, strip.cols);
  }
}

}  // namespace

template <class A>
void gemm_i8_avx2(const GemmI8Strip<A>& strip) {
  const GemmI8Panel panel(strip.panel, kColumns);
  const size_t row_bytes = (strip.k + 7) / 8 * 8;
  const auto* a = reinterpret_cast<const uint8_t*>(strip.a);
  A* y = strip.y;
  for (size_t row = 0; row < strip.rows; row += kRows) {
    const size_t rows = strip.rows - row;
    if (rows > 4) {
      run_tile<A, 6>(strip, panel, a, rows, y);
    } else if (rows > 2) {
      run_tile<A, 4>(strip, panel, a, rows, y);
    } else {
      run_tile<A, 2>(strip, panel, a, rows, y);
    }
    a += kRows * row_bytes;
    y += kRows * strip.y_stride;
  }
}

template void gemm_i8_avx2(const GemmI8Strip<int8_t>&);
template void gemm_i8_avx2(const GemmI8Strip<uint8_t>&);

}  // namespace hone
#endif
