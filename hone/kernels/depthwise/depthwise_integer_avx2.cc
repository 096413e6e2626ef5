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
#include "hone/kernels/requantize_x86.h"
#include "hone/kernels/unroll.h"
#include "hone/kernels/x86_vectors.h"

namespace hone {
namespace {

constexpr size_t kGroup = 16;

// The first n of sixteen bytes, 0 < n < 16, and zeros: in two parts of a known size that may overlap. A
// copy of n bytes is a call, and what it has written would be waited for.
inline __m128i load_bytes(const void* from, size_t n) {
  const auto* x = static_cast<const uint8_t*>(from);
  const auto part = [x]<class U>(size_t at, U value) {
    std::memcpy(&value, x + at, sizeof(value));
    return uint64_t{value};
  };
  if (n > 8) {
    const uint64_t end = part(n - 8, uint64_t{0}) >> (8 * (16 - n));
    return _mm_set_epi64x(static_cast<int64_t>(end), static_cast<int64_t>(part(0, uint64_t{0})));
  }
  uint64_t low = 0;
  if (n == 8) {
    low = part(0, uint64_t{0});
  } else if (n >= 4) {
    low = part(0, uint32_t{0}) | part(n - 4, uint32_t{0}) << (8 * (n - 4));
  } else {
    low =
        uint64_t{x[0]} | uint64_t{x[n / 2]} << (8 * (n / 2)) | uint64_t{x[n - 1]} << (8 * (n - 1));
  }
  return _mm_cvtsi64_si128(static_cast<int64_t>(low));
}

#include "hone/kernels/depthwise/depthwise_integer.inc"

struct OpsMadd {
  using Weight = int16_t;
  using Vec = __m256i;
  using Sum = __m256i;
  static constexpr size_t kTaps = 2;
  static constexpr size_t kSums = 8;
  static constexpr bool kMasked = false;
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
    return add_in_place(sum, _mm256_madd_epi16(x, w));
  }

  HONE_INLINE static Vec widen(__m128i x, int8_t) { return _mm256_cvtepi8_epi16(x); }
  HONE_INLINE static Vec widen(__m128i x, uint8_t) { return _mm256_cvtepu8_epi16(x); }
  template <bool kSome, class T>
  HONE_INLINE static Vec load_group(const T* x, size_t channels) {
    if constexpr (kSome) return widen(load_bytes(x, channels), T());
    return widen(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x)), T());
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
      const Sum y = scale_by_x86<Int32x8>(sum, multiplier, shift, header.rounding);
      // More than any output either way, so that the zero point can be added without overflow.
      const Sum far = _mm256_set1_epi32(1 << 20);
      const Sum bounded =
          _mm256_max_epi32(_mm256_min_epi32(y, far), _mm256_sub_epi32(_mm256_setzero_si256(), far));
      return _mm256_add_epi32(bounded, _mm256_set1_epi32(header.zero_point));
    } else {
      const Sum product = kScaling == Scaling::Once ? high_mul_down<Int32x8>(sum, multiplier)
                                                    : high_mul<Int32x8>(sum, multiplier);
      Sum high = _mm256_add_epi32(load(k + kOffsets), product);
      if constexpr (kScaling == Scaling::Away) {
        high = _mm256_add_epi32(high, _mm256_srai_epi32(sum, 31));
      }
      return _mm256_srav_epi32(high, _mm256_sub_epi32(_mm256_setzero_si256(), shift));
    }
  }

  template <class T>
  struct Limits {
    __m128i low, high;
    Limits(const Header& header, size_t /*channels*/)
        : low(_mm_set1_epi8(static_cast<char>(header.low))),
          high(_mm_set1_epi8(static_cast<char>(header.high))) {}
  };
  template <Scaling kScaling, bool kClamp, class T>
  HONE_INLINE static void store(Sum low, Sum high, const Limits<T>& limits, T* to) {
    const __m256i y = _mm256_packs_epi32(low, high);  // In the order of channels again.
    __m128i bytes = narrow_avx2(y, T());
    if constexpr (kClamp) bytes = clamp_avx2(bytes, limits.low, limits.high, T());
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
