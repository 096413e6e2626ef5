// What integer kernels for AVX2 share.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace hone {
namespace {

// Eight int32 lanes, for requantize_x86.h.
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

// Sixteen outputs of 16 bits, saturated to the element type.
inline __m128i narrow_avx2(__m256i y, int8_t) {
  return _mm_packs_epi16(_mm256_castsi256_si128(y), _mm256_extracti128_si256(y, 1));
}
inline __m128i narrow_avx2(__m256i y, uint8_t) {
  return _mm_packus_epi16(_mm256_castsi256_si128(y), _mm256_extracti128_si256(y, 1));
}

inline __m128i clamp_avx2(__m128i y, __m128i low, __m128i high, int8_t) {
  return _mm_min_epi8(_mm_max_epi8(y, low), high);
}
inline __m128i clamp_avx2(__m128i y, __m128i low, __m128i high, uint8_t) {
  return _mm_min_epu8(_mm_max_epu8(y, low), high);
}

}  // namespace
}  // namespace hone
