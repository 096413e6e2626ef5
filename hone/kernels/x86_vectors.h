// The vectors of x86 that kernels need beside Highway's: broadcast operands, products of 32 bits into
// 64, shifts lane by lane, masks. Those of 512 bits where the source is compiled for AVX-512.
#pragma once

#if defined(__AVX512F__)
#include "hone/kernels/avx512.h"
#else
#include <immintrin.h>
#endif

#include <cstddef>
#include <cstdint>

namespace hone {
namespace {

// Eight int32 lanes.
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

// Floats.
struct F32x8 {
  using Vec = __m256;
  using Mask = __m256i;
  static constexpr size_t kLanes = 8;
  static constexpr size_t kRegisters = 16;

  static Vec load(const float* x) { return _mm256_loadu_ps(x); }
  static void store(float* y, Vec x) { _mm256_storeu_ps(y, x); }
  // The first `lanes`; loads leave zeros in the others.
  static Mask mask(size_t lanes) {
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(lanes)), lane);
  }
  static Vec load(const float* x, Mask mask) { return _mm256_maskload_ps(x, mask); }
  static void store(float* y, Mask mask, Vec x) { _mm256_maskstore_ps(y, mask, x); }
  static Vec broadcast(float x) { return _mm256_set1_ps(x); }
  static Vec add(Vec a, Vec b) { return _mm256_add_ps(a, b); }
  // Of two operands, one of them NaN, the second.
  static Vec min(Vec a, Vec b) { return _mm256_min_ps(a, b); }
  static Vec max(Vec a, Vec b) { return _mm256_max_ps(a, b); }
  static Vec fma(Vec a, Vec b, Vec sum) { return _mm256_fmadd_ps(a, b, sum); }
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

#if defined(__AVX512F__)

// Sixteen int32 lanes.
struct Int32x16 {
  using Vec = __m512i;
  static constexpr size_t kLanes = 16;

  static Vec load(const int32_t* p) { return _mm512_loadu_si512(p); }
  static Vec set(int32_t x) { return _mm512_set1_epi32(x); }
  static Vec set64(int64_t x) { return _mm512_set1_epi64(x); }
  static Vec add(Vec a, Vec b) { return _mm512_add_epi32(a, b); }
  static Vec sub(Vec a, Vec b) { return _mm512_sub_epi32(a, b); }
  static Vec max(Vec a, Vec b) { return _mm512_max_epi32(a, b); }
  static Vec and_(Vec a, Vec b) { return _mm512_and_si512(a, b); }
  static Vec xor_(Vec a, Vec b) { return _mm512_xor_si512(a, b); }
  static Vec sign(Vec a) { return _mm512_srai_epi32(a, 31); }
  static Vec sllv(Vec a, Vec n) { return _mm512_sllv_epi32(a, n); }
  static Vec srlv(Vec a, Vec n) { return _mm512_srlv_epi32(a, n); }
  static Vec srav(Vec a, Vec n) { return _mm512_srav_epi32(a, n); }
  static Vec mul_even(Vec a, Vec b) { return _mm512_mul_epi32(a, b); }
  static Vec add64(Vec a, Vec b) { return _mm512_add_epi64(a, b); }
  static Vec sub64(Vec a, Vec b) { return _mm512_sub_epi64(a, b); }
  static Vec sllv64(Vec a, Vec n) { return _mm512_sllv_epi64(a, n); }
  static Vec srlv64(Vec a, Vec n) { return _mm512_srlv_epi64(a, n); }
  template <int kBits>
  static Vec sll64(Vec a) {
    return _mm512_slli_epi64(a, kBits);
  }
  template <int kBits>
  static Vec srl64(Vec a) {
    return _mm512_srli_epi64(a, kBits);
  }
  static Vec blend_odd(Vec even, Vec odd) { return _mm512_mask_blend_epi32(0xAAAA, even, odd); }
  static Vec select_negative(Vec of, Vec if_negative, Vec otherwise) {
    return _mm512_mask_blend_epi32(_mm512_movepi32_mask(of), otherwise, if_negative);
  }
};

struct F32x16 {
  using Vec = __m512;
  using Mask = __mmask16;
  static constexpr size_t kLanes = 16;
  static constexpr size_t kRegisters = 32;

  static Vec load(const float* x) { return _mm512_loadu_ps(x); }
  static void store(float* y, Vec x) { _mm512_storeu_ps(y, x); }
  static Mask mask(size_t lanes) { return static_cast<Mask>((1u << lanes) - 1); }
  static Vec load(const float* x, Mask mask) { return _mm512_maskz_loadu_ps(mask, x); }
  static void store(float* y, Mask mask, Vec x) { _mm512_mask_storeu_ps(y, mask, x); }
  static Vec broadcast(float x) { return _mm512_set1_ps(x); }
  static Vec add(Vec a, Vec b) { return _mm512_add_ps(a, b); }
  // Of two operands, one of them NaN, the second.
  static Vec min(Vec a, Vec b) { return _mm512_min_ps(a, b); }
  static Vec max(Vec a, Vec b) { return _mm512_max_ps(a, b); }
  static Vec fma(Vec a, Vec b, Vec sum) { return _mm512_fmadd_ps(a, b, sum); }
  // b in memory, and never in a register.
  static Vec fma_from(Vec a, const float* b, Vec sum) {
    asm("vfmadd231ps %2, %1, %0" : "+v"(sum) : "v"(a), "m"(*reinterpret_cast<const VecBytes*>(b)));
    return sum;
  }

 private:
  struct VecBytes {
    float lanes[kLanes];
  };
};

// The first n of 64 lanes, n in [1, 64].
inline __mmask64 first_lanes64(size_t n) {
  return ~uint64_t{0} >> (64 - n);
}

#endif

#if defined(__AVX512VBMI__)

// A function of a byte, taken as unsigned: 256 entries.
struct ByteTable {
  __m512i first, second, third, fourth;  // Quarters.

  explicit ByteTable(const uint8_t* table)
      : first(_mm512_loadu_si512(table)),
        second(_mm512_loadu_si512(table + 64)),
        third(_mm512_loadu_si512(table + 128)),
        fourth(_mm512_loadu_si512(table + 192)) {}

  // VPERMI2B looks at seven bits of an index.
  __m512i operator()(__m512i x) const {
    const __m512i low = _mm512_permutex2var_epi8(first, x, second);
    const __m512i high = _mm512_permutex2var_epi8(third, x, fourth);
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(x), low, high);
  }
};

#endif

}  // namespace
}  // namespace hone
