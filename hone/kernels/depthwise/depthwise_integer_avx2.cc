// Compiled with -mavx2; reached only through depthwise_i8_variants() and depthwise_u8_variants().
#if defined(__x86_64__)
#include <immintrin.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "hone/kernels/depthwise/depthwise.h"
#include "hone/kernels/unroll.h"

namespace hone {
namespace {

#include "hone/kernels/depthwise/depthwise_integer-inl.h"

// The products of the even and of the odd lanes, 64 bits each.
struct Products {
  __m256i even, odd;
  HONE_INLINE Products(__m256i a, __m256i b)
      : even(_mm256_mul_epi32(a, b)),
        odd(_mm256_mul_epi32(_mm256_srli_epi64(a, 32), _mm256_srli_epi64(b, 32))) {}
};

// saturating_rounding_doubling_high_mul of a multiplier that is not negative.
HONE_INLINE __m256i high_mul(__m256i x, __m256i multiplier) {
  const Products p(x, multiplier);
  const __m256i half = _mm256_set1_epi64x(int64_t{1} << 30);
  return _mm256_blend_epi32(_mm256_srli_epi64(_mm256_add_epi64(p.even, half), 31),
                            _mm256_slli_epi64(_mm256_add_epi64(p.odd, half), 1), 0xAA);
}

// (x + 2^(right - 1)) >> right, 64 bits.
HONE_INLINE __m256i rounding_shift_64(__m256i x, __m256i right) {
  const __m256i one = _mm256_set1_epi64x(1), sign = _mm256_set1_epi64x(int64_t{1} << 63);
  // Shifts by more than 63, here -1, give 0.
  x = _mm256_add_epi64(x, _mm256_sllv_epi64(one, _mm256_sub_epi64(right, one)));
  // There is no arithmetic shift of 64 bits: shifts x + 2^63, which is not negative.
  return _mm256_sub_epi64(_mm256_srlv_epi64(_mm256_xor_si256(x, sign), right),
                          _mm256_srlv_epi64(sign, right));
}

HONE_INLINE __m256i scale_once(__m256i x, __m256i multiplier, __m256i shift) {
  const __m256i right = _mm256_sub_epi32(_mm256_set1_epi32(31), shift);
  const __m256i low32 = _mm256_set1_epi64x(0xFFFFFFFF);
  const Products p(x, multiplier);
  const __m256i even = rounding_shift_64(p.even, _mm256_and_si256(right, low32));
  const __m256i odd = rounding_shift_64(p.odd, _mm256_srli_epi64(right, 32));
  return _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xAA);
}

HONE_INLINE __m256i scale_twice(__m256i x, __m256i multiplier, __m256i shift, bool upward) {
  const __m256i zero = _mm256_setzero_si256();
  const __m256i left = _mm256_max_epi32(shift, zero);
  const __m256i right = _mm256_max_epi32(_mm256_sub_epi32(zero, shift), zero);
  const __m256i shifted = _mm256_cmpgt_epi32(right, zero);  // All ones where there is a shift.
  __m256i high = high_mul(_mm256_sllv_epi32(x, left), multiplier);
  // Ties away from zero: upward, after one is taken off negative values.
  if (!upward) {
    high = _mm256_add_epi32(high, _mm256_and_si256(_mm256_srai_epi32(high, 31), shifted));
  }
  // The bit below the last one that stays, rather than 1/2 added before the shift, which could
  // overflow.
  const __m256i one = _mm256_set1_epi32(1);
  const __m256i below = _mm256_srav_epi32(high, _mm256_sub_epi32(right, one));
  return _mm256_add_epi32(_mm256_srav_epi32(high, right),
                          _mm256_and_si256(_mm256_and_si256(below, one), shifted));
}

struct OpsMadd {
  using Weight = int16_t;
  using Vec = __m256i;
  using Sum = __m256i;
  static constexpr size_t kTaps = 2;
  static constexpr size_t kSums = 8;
  static constexpr size_t kMaxCols = 2;
  // Unpacking works within halves of 128 bits.
  static constexpr size_t kOrder[kGroup] = {0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15};
  template <class T>
  static constexpr int32_t kOffset = 0;

  HONE_INLINE static Vec load(const void* p) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(p));
  }
  HONE_INLINE static Sum load_sums(const int32_t* p) { return load(p); }
  HONE_INLINE static Sum dot(Sum sum, Vec x, Vec w) {
    return _mm256_add_epi32(sum, _mm256_madd_epi16(x, w));
  }

  HONE_INLINE static Vec widen(__m128i x, int8_t) { return _mm256_cvtepi8_epi16(x); }
  HONE_INLINE static Vec widen(__m128i x, uint8_t) { return _mm256_cvtepu8_epi16(x); }
  template <bool kSome, class T>
  HONE_INLINE static Vec load_group(const T* x, size_t channels) {
    if constexpr (!kSome) {
      return widen(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x)), T());
    } else {
      T bytes[kGroup] = {};
      std::copy_n(x, channels, bytes);
      return load_group<false>(bytes, kGroup);
    }
  }

  template <bool kSome, class T>
  HONE_INLINE static void interleave(const T* const* rows, size_t channels, char* to,
                                     size_t plane) {
    const Vec a = load_group<kSome>(rows[0], channels), b = load_group<kSome>(rows[1], channels);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_unpacklo_epi16(a, b));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + plane), _mm256_unpackhi_epi16(a, b));
  }

  template <Scaling kScaling>
  HONE_INLINE static Sum requantize(Sum sum, const Header& header, const int32_t* k) {
    const Sum multiplier = load(k + kMultipliers), shift = load(k + kShifts);
    if constexpr (kScaling == Scaling::Any) {
      const Sum y = header.rounding == Rounding::Single
                        ? scale_once(sum, multiplier, shift)
                        : scale_twice(sum, multiplier, shift, header.rounding != Rounding::Double);
      // More than any output either way, so that the zero point can be added without overflow.
      const Sum far = _mm256_set1_epi32(1 << 20);
      const Sum bounded =
          _mm256_max_epi32(_mm256_min_epi32(y, far), _mm256_sub_epi32(_mm256_setzero_si256(), far));
      return _mm256_add_epi32(bounded, _mm256_set1_epi32(header.zero_point));
    } else {
      Sum high = _mm256_add_epi32(load(k + kOffsets), high_mul(sum, multiplier));
      if constexpr (kScaling == Scaling::Away) {
        high = _mm256_add_epi32(high, _mm256_srai_epi32(sum, 31));
      }
      return _mm256_srav_epi32(high, _mm256_sub_epi32(_mm256_setzero_si256(), shift));
    }
  }

  template <class T>
  struct Limits {
    __m128i low, high;
    explicit Limits(const Header& header)
        : low(_mm_set1_epi8(static_cast<char>(header.low))),
          high(_mm_set1_epi8(static_cast<char>(header.high))) {}
  };
  HONE_INLINE static __m128i saturated(__m128i low, __m128i high, int8_t) {
    return _mm_packs_epi16(low, high);
  }
  HONE_INLINE static __m128i saturated(__m128i low, __m128i high, uint8_t) {
    return _mm_packus_epi16(low, high);
  }
  HONE_INLINE static __m128i clamped(__m128i y, const Limits<int8_t>& limits) {
    return _mm_min_epi8(_mm_max_epi8(y, limits.low), limits.high);
  }
  HONE_INLINE static __m128i clamped(__m128i y, const Limits<uint8_t>& limits) {
    return _mm_min_epu8(_mm_max_epu8(y, limits.low), limits.high);
  }
  template <Scaling kScaling, bool kClamp, class T>
  HONE_INLINE static void store(Sum low, Sum high, const Limits<T>& limits, T* to) {
    const __m256i y = _mm256_packs_epi32(low, high);  // In the order of channels again.
    __m128i bytes = saturated(_mm256_castsi256_si128(y), _mm256_extracti128_si256(y, 1), T());
    if constexpr (kClamp) bytes = clamped(bytes, limits);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), bytes);
  }
};

using Kernels = IntegerKernels<OpsMadd>;

}  // namespace

extern const DepthwiseI8 depthwise_i8_avx2 = {Kernels::packed_bytes, Kernels::pack<int8_t>,
                                              Kernels::scratch_bytes, Kernels::run<int8_t>};
extern const DepthwiseU8 depthwise_u8_avx2 = {Kernels::packed_bytes, Kernels::pack<uint8_t>,
                                              Kernels::scratch_bytes, Kernels::run<uint8_t>};

}  // namespace hone
#endif
