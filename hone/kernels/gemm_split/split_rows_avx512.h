// Takes rows of floats apart, 32 values of one at a time.
#pragma once

#include <algorithm>
#include <bit>

#include "hone/kernels/gemm_split/gemm_split_variants.h"
#include "hone/kernels/x86_vectors.h"

namespace hone {
namespace {

class RowSplitter {
 public:
  // Of 32 values those in `mask` are read, the others are zero. The first part of a value is its upper
  // half, the second that of what is then left; of what is left then, the lower half is zero.
  [[gnu::always_inline]] void split(const float* from, uint32_t mask, BFloat16* to) {
    __m512 low = _mm512_maskz_loadu_ps(static_cast<__mmask16>(mask), from);
    __m512 high = _mm512_maskz_loadu_ps(static_cast<__mmask16>(mask >> 16), from + 16);
    note(low);
    note(high);
    for (size_t part = 0; part + 1 < kSplitParts; ++part, to += kSplitTileElements) {
      const __m512i upper_low = upper_half(low), upper_high = upper_half(high);
      _mm512_storeu_si512(to, joined_halves(upper_low, upper_high));
      low = _mm512_sub_ps(low, _mm512_castsi512_ps(upper_low));
      high = _mm512_sub_ps(high, _mm512_castsi512_ps(upper_high));
    }
    _mm512_storeu_si512(to, joined_halves(_mm512_castps_si512(low), _mm512_castps_si512(high)));
  }

  // Whether all values so far were numbers below kSplitLimit.
  bool all_numbers() const {
    const auto limit = _mm512_set1_epi32(std::bit_cast<int32_t>(kSplitLimit));
    return _mm512_cmpge_epu32_mask(most_, limit) == 0;
  }

 private:
  static __m512i upper_half(__m512 x) {
    return _mm512_and_si512(_mm512_castps_si512(x), _mm512_set1_epi32(~0xFFFF));
  }
  // The upper halves of the first as lower ones. Of both no others are set.
  static __m512i joined_halves(__m512i low, __m512i high) {
    return _mm512_or_si512(high, _mm512_srli_epi32(low, 16));
  }
  // The largest magnitudes, as bits: NaNs above infinity above numbers.
  [[gnu::always_inline]] void note(__m512 x) {
    const __m512i magnitude = _mm512_set1_epi32(0x7FFFFFFF);
    most_ = _mm512_max_epu32(most_, _mm512_and_si512(_mm512_castps_si512(x), magnitude));
  }

  __m512i most_ = _mm512_setzero_si512();
};

constexpr uint32_t first_values(size_t n) {
  return static_cast<uint32_t>((uint64_t{1} << std::min(n, kSplitStep)) - 1);
}

// The values of k from `at` on that a step holds, from the taps that have them.
inline void join_taps(const float* const* taps, size_t depth, size_t at, size_t k, float* out) {
  const size_t end = std::min(k, at + kSplitStep);
  while (at < end) {
    const size_t in_tap = at % depth, there = std::min(depth - in_tap, end - at);
    out = std::copy_n(taps[at / depth] + in_tap, there, out);
    at += there;
  }
}

// All rows of a strip. False where one has a value that is no number below kSplitLimit.
inline bool split_rows(const GemmSplitStrip& strip) {
  constexpr size_t kStepElements = kSplitParts * kSplitTileElements;
  const size_t k = strip.taps * strip.depth, steps = (k + kSplitStep - 1) / kSplitStep;
  const bool steps_cross_taps = strip.taps > 1 && strip.depth % kSplitStep != 0;
  const float* const* taps = strip.a;
  RowSplitter splitter;
  for (size_t row = 0; row < strip.rows; ++row, taps += strip.taps) {
    BFloat16* to = strip.row_parts + split_row_at(row, 0, steps);
    if (steps_cross_taps) {
      for (size_t at = 0; at < k; at += kSplitStep, to += kStepElements) {
        alignas(64) float joined[kSplitStep];
        join_taps(taps, strip.depth, at, k, joined);
        splitter.split(joined, first_values(k - at), to);
      }
      continue;
    }
    for (size_t tap = 0; tap < strip.taps; ++tap) {
      for (size_t at = 0; at < strip.depth; at += kSplitStep, to += kStepElements) {
        splitter.split(taps[tap] + at, first_values(strip.depth - at), to);
      }
    }
  }
  return splitter.all_numbers();
}

}  // namespace
}  // namespace hone
