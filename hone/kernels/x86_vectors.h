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
#include <cstring>

#include "hone/tensor/small_float.h"

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

// sum + x in the register of the sum. Of products, g++ would otherwise add up several before the sum,
// and has no registers for them.
inline __m256i add_in_place(__m256i sum, __m256i x) {
  asm("vpaddd %1, %0, %0" : "+x"(sum) : "x"(x));
  return sum;
}

// Floats.
struct F32x8 {
  using Element = float;  // In memory.
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

// Columns of half a vector, each for an even and an odd value of k, in lanes side by side.
struct PairedF32x8 : F32x8 {
  // a[0], a[1], a[0], a[1] and so on.
  static Vec broadcast_pair(const float* a) {
    double both;
    std::memcpy(&both, a, sizeof(both));
    return _mm256_castpd_ps(_mm256_set1_pd(both));
  }
  // The sums of neighbours, in the first half.
  static Vec join(Vec x) {
    const __m256i even = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
    return _mm256_permutevar8x32_ps(_mm256_add_ps(x, _mm256_permute_ps(x, 0xB1)), even);
  }
  // What `join` gives back: the first half with zeros between.
  static Vec spread(Vec x) {
    const __m256i twice = _mm256_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3);
    return _mm256_blend_ps(_mm256_permutevar8x32_ps(x, twice), _mm256_setzero_ps(), 0xAA);
  }
};

// Halves in memory, floats in registers.
struct HalfF32x8 : F32x8 {
  using Element = Half;
  using Mask = size_t;

  static Mask mask(size_t lanes) { return lanes; }
  static Vec load(const Half* x) {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x)));
  }
  static void store_floats(float* y, Vec x) { F32x8::store(y, x); }
  static void store(Half* y, Vec x) {
    const __m128i halves = _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(y), halves);
  }
  // By the bits of `lanes`: a call of memcpy would cost all vectors in registers.
  static Vec load(const Half* x, Mask lanes) {
    __m128i v = _mm_setzero_si128();
    if ((lanes & 1) != 0) v = _mm_cvtsi32_si128(x[lanes - 1].bits);
    if ((lanes & 2) != 0) {
      int32_t pair;
      std::memcpy(&pair, x + (lanes & 4), sizeof(pair));
      v = _mm_or_si128(_mm_slli_si128(v, 4), _mm_cvtsi32_si128(pair));
    }
    if ((lanes & 4) != 0) {
      v = _mm_unpacklo_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(x)), v);
    }
    return (lanes & 8) != 0 ? load(x) : _mm256_cvtph_ps(v);
  }
  static void store(Half* y, Mask lanes, Vec x) {
    if ((lanes & 8) != 0) return store(y, x);
    __m128i v = _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT);
    if ((lanes & 4) != 0) {
      _mm_storel_epi64(reinterpret_cast<__m128i*>(y), v);
      v = _mm_srli_si128(v, 8);
    }
    if ((lanes & 2) != 0) {
      const int32_t pair = _mm_cvtsi128_si32(v);
      std::memcpy(static_cast<void*>(y + (lanes & 4)), &pair, sizeof(pair));
      v = _mm_srli_si128(v, 4);
    }
    if ((lanes & 1) != 0) y[lanes - 1].bits = static_cast<uint16_t>(_mm_extract_epi16(v, 0));
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
  using Element = float;
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

// As PairedF32x8.
struct PairedF32x16 : F32x16 {
  static Vec broadcast_pair(const float* a) {
    double both;
    std::memcpy(&both, a, sizeof(both));
    return _mm512_castpd_ps(_mm512_set1_pd(both));
  }
  static Vec join(Vec x) {
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 0, 2, 4, 6, 8, 10, 12, 14);
    return _mm512_permutexvar_ps(even, _mm512_add_ps(x, _mm512_permute_ps(x, 0xB1)));
  }
  static Vec spread(Vec x) { return _mm512_maskz_expand_ps(0x5555, x); }
};

struct HalfF32x16 : F32x16 {
  using Element = Half;

  static Vec load(const Half* x) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(x)));
  }
  static void store_floats(float* y, Vec x) { F32x16::store(y, x); }
  static void store(Half* y, Vec x) {
    const __m256i halves = _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(y), halves);
  }
  static Vec load(const Half* x, Mask mask) {
    return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(mask, x));
  }
  static void store(Half* y, Mask mask, Vec x) {
    _mm256_mask_storeu_epi16(y, mask, _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
  }
};

// The first n of 64 lanes, n in [1, 64].
inline __mmask64 first_lanes64(size_t n) {
  return ~uint64_t{0} >> (64 - n);
}

#endif

#if defined(__AVX512FP16__)

// Halves in registers too.
struct F16x32 {
  using Element = Half;
  using Vec = __m512h;
  using Mask = __mmask32;
  static constexpr size_t kLanes = 32;
  static constexpr size_t kRegisters = 32;

  static Vec load(const Half* x) { return _mm512_loadu_ph(x); }
  static void store(Half* y, Vec x) { _mm512_storeu_ph(y, x); }
  static Mask mask(size_t lanes) { return static_cast<Mask>((uint64_t{1} << lanes) - 1); }
  static Vec load(const Half* x, Mask mask) {
    return _mm512_castsi512_ph(_mm512_maskz_loadu_epi16(mask, x));
  }
  static void store(Half* y, Mask mask, Vec x) {
    _mm512_mask_storeu_epi16(y, mask, _mm512_castph_si512(x));
  }
  static Vec broadcast(float x) { return _mm512_set1_ph(static_cast<_Float16>(x)); }
  static Vec add(Vec a, Vec b) { return _mm512_add_ph(a, b); }
  // Of two operands, one of them NaN, the second.
  static Vec min(Vec a, Vec b) { return _mm512_min_ph(a, b); }
  static Vec max(Vec a, Vec b) { return _mm512_max_ph(a, b); }
  // *a times b. A broadcast by an instruction of its own would take a slot of a vector pipe.
  static Vec fma_broadcast(const Half* a, Vec b, Vec sum) {
    asm("vfmadd231ph %2%{1to32%}, %1, %0" : "+v"(sum) : "v"(b), "m"(*a));
    return sum;
  }
};

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
