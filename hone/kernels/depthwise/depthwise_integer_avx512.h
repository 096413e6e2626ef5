// The integer kernels of AVX-512: 16 outputs of a 3x3 kernel are three VPDPBUSD and seven instructions
// that scale them. Compiled with VBMI as well, 16 channels of four rows are laid side by side by one
// VPERMB, otherwise by VPERMD and VPSHUFB.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>

#include "hone/kernels/depthwise/depthwise.h"
#include "hone/kernels/requantize_x86.h"
#include "hone/kernels/unroll.h"
#include "hone/kernels/x86_vectors.h"

namespace hone {
namespace {

constexpr size_t kGroup = 32;
#include "hone/kernels/depthwise/depthwise_integer.inc"

struct OpsVnni {
  using Weight = int8_t;
  using Vec = __m512i;
  using Sum = __m512i;
  static constexpr size_t kTaps = 4;
  static constexpr size_t kSums = 16;
  static constexpr size_t kMaxCols = 4;
  static constexpr bool kMasked = true;
  static constexpr size_t kOrder[kGroup] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                            11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                            22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
  // VPDPBUSD takes unsigned pixels.
  template <class T>
  static constexpr int32_t kOffset = std::is_signed_v<T> ? -128 : 0;

  HONE_INLINE static Vec load(const void* p) { return _mm512_loadu_si512(p); }
  HONE_INLINE static Sum load_sums(const int32_t* p) { return load(p); }
  HONE_INLINE static Sum dot(Sum sum, Vec x, Vec w) { return _mm512_dpbusd_epi32(sum, x, w); }

  // 16 channels of a row; kSome: those of the mask.
  template <bool kSome, class T>
  HONE_INLINE static __m128i load_row(const T* x, __mmask16 mask) {
    if constexpr (kSome) return _mm_maskz_loadu_epi8(mask, x);
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(x));
  }
  template <bool kSome, class T>
  HONE_INLINE static Vec interleave_16(const T* const (&rows)[kTaps], size_t first,
                                       __mmask16 mask) {
    Vec x = _mm512_castsi128_si512(load_row<kSome>(rows[0] + first, mask));
    x = _mm512_inserti32x4(x, load_row<kSome>(rows[1] + first, mask), 1);
    x = _mm512_inserti32x4(x, load_row<kSome>(rows[2] + first, mask), 2);
    x = _mm512_inserti32x4(x, load_row<kSome>(rows[3] + first, mask), 3);
    x = rows_side_by_side(x);
    if constexpr (std::is_signed_v<T>) x = _mm512_xor_si512(x, _mm512_set1_epi8(-128));
    return x;
  }
#if defined(__AVX512VBMI__)
  // Byte 4 * channel + row comes from 16 * row + channel.
  HONE_INLINE static Vec rows_side_by_side(Vec rows) {
    const Vec first = _mm512_set1_epi32(0x30201000);
    const Vec channel = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const Vec order =
        _mm512_add_epi32(first, _mm512_mullo_epi32(channel, _mm512_set1_epi32(0x01010101)));
    return _mm512_permutexvar_epi8(order, rows);
  }
#else
  // Of rows of 16 bytes: first four channels of every row, then the rows of each channel.
  HONE_INLINE static Vec rows_side_by_side(Vec rows) {
    const Vec fours = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const Vec channels = _mm512_set4_epi32(0x0F0B0703, 0x0E0A0602, 0x0D090501, 0x0C080400);
    return _mm512_shuffle_epi8(_mm512_permutexvar_epi32(fours, rows), channels);
  }
#endif

  template <bool kSome, class T>
  HONE_INLINE static void interleave(const T* const (&rows)[kTaps], size_t channels, char* to,
                                     size_t plane) {
    const uint32_t mask = kSome ? (uint32_t{1} << channels) - 1 : 0xFFFFFFFF;
    _mm512_storeu_si512(to, interleave_16<kSome>(rows, 0, static_cast<__mmask16>(mask)));
    if (kSome && channels <= kSums) return;
    _mm512_storeu_si512(to + plane,
                        interleave_16<kSome>(rows, kSums, static_cast<__mmask16>(mask >> kSums)));
  }

  // The narrow ways are the high half of product and offset in 64 bits, shifted.
  template <Scaling kScaling>
  HONE_INLINE static Sum requantize(Sum sum, const Header& header, const int32_t* k) {
    const Sum multiplier = load(k + kMultipliers), shift = load(k + kShifts);
    if constexpr (kScaling == Scaling::Any) {
      const Sum y = scale_by_x86<Int32x16>(sum, multiplier, shift, header.rounding);
      // More than any output either way, so that the zero point can be added without overflow.
      const Sum bounded = _mm512_max_epi32(_mm512_min_epi32(y, _mm512_set1_epi32(1 << 20)),
                                           _mm512_set1_epi32(-(1 << 20)));
      return _mm512_add_epi32(bounded, _mm512_set1_epi32(header.zero_point));
    } else if constexpr (kScaling == Scaling::Away) {
      const Sum twice = _mm512_add_epi32(sum, sum);
      const Sum high =
          high_half(twice, multiplier, offset_even(k), offset_odd(k), int64_t{1} << 31);
      const Sum y = _mm512_add_epi32(high, _mm512_srai_epi32(sum, 31));
      return _mm512_srav_epi32(y, _mm512_sub_epi32(_mm512_setzero_si512(), shift));
    } else {
      // Sums are not doubled: the high half has a bit less of the product, and of the offset.
      const Sum even = _mm512_srai_epi64(offset_even(k), 1);
      const Sum odd = _mm512_srai_epi64(offset_odd(k), 1);
      constexpr int64_t kNudge = kScaling == Scaling::Upward ? 1 << 30 : 0;
      const Sum high = high_half(sum, multiplier, even, odd, kNudge);
      return _mm512_srav_epi32(high, _mm512_sub_epi32(_mm512_set1_epi32(-1), shift));
    }
  }
  // The offsets of every other channel, in the high halves of 64 bits.
  HONE_INLINE static Sum offset_even(const int32_t* k) {
    return _mm512_slli_epi64(load(k + kOffsets), 32);
  }
  HONE_INLINE static Sum offset_odd(const int32_t* k) {
    return _mm512_and_si512(load(k + kOffsets), _mm512_set1_epi64(int64_t{-1} << 32));
  }
  // Of a * b + addend + nudge. What depends on the channel alone leaves the loops.
  HONE_INLINE static Sum high_half(Sum a, Sum b, Sum addend_even, Sum addend_odd, int64_t nudge) {
    const Sum odd_a = _mm512_srli_epi64(a, 32), odd_b = _mm512_srli_epi64(b, 32);
    addend_even = _mm512_add_epi64(addend_even, _mm512_set1_epi64(nudge));
    addend_odd = _mm512_add_epi64(addend_odd, _mm512_set1_epi64(nudge));
    const Sum even = _mm512_add_epi64(_mm512_mul_epi32(a, b), addend_even);
    const Sum odd = _mm512_add_epi64(_mm512_mul_epi32(odd_a, odd_b), addend_odd);
    return _mm512_mask_shuffle_epi32(odd, 0x5555, even, _MM_PERM_DDBB);
  }

  template <class T>
  struct Limits {
    __m256i low, high;
    __mmask32 mask;
    Limits(const Header& header, size_t channels)
        : low(_mm256_set1_epi8(static_cast<char>(header.low))),
          high(_mm256_set1_epi8(static_cast<char>(header.high))),
          mask(static_cast<__mmask32>((uint64_t{1} << channels) - 1)) {}
  };
  HONE_INLINE static Vec narrow(Vec words, int8_t) {
    return _mm512_packs_epi16(words, words);
  }
  HONE_INLINE static Vec narrow(Vec words, uint8_t) {
    return _mm512_packus_epi16(words, words);
  }
  HONE_INLINE static __m256i clamp(__m256i y, const Limits<int8_t>& limits) {
    return _mm256_min_epi8(_mm256_max_epi8(y, limits.low), limits.high);
  }
  HONE_INLINE static __m256i clamp(__m256i y, const Limits<uint8_t>& limits) {
    return _mm256_min_epu8(_mm256_max_epu8(y, limits.low), limits.high);
  }
  template <Scaling kScaling, bool kClamp, class T>
  HONE_INLINE static void store(Sum low, Sum high, const Limits<T>& limits, T* to) {
    // Packing leaves four channels of each vector in every 128 bits.
    const Vec order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 0, 4, 8, 12, 1, 5, 9, 13);
    const Vec bytes = narrow(_mm512_packs_epi32(low, high), T());
    __m256i y = _mm512_castsi512_si256(_mm512_permutexvar_epi32(order, bytes));
    if constexpr (kClamp) y = clamp(y, limits);
    _mm256_mask_storeu_epi8(to, limits.mask, y);
  }
};

using VnniKernels = IntegerKernels<OpsVnni>;

}  // namespace
}  // namespace hone
