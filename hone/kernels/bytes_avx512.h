// Quantized bytes, 64 at a time: two operands, sums of 32 bits on the way, and the scaling of these.
// For add_i8, mul_i8 and quantize of AVX-512.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hone/kernels/binary/binary.h"
#include "hone/kernels/x86_vectors.h"
#include "hone/tensor/fixed_point.h"

namespace hone {
namespace {

// scale_by of sums that come doubled. With a shift to the right, all rules are the product of 64 bits
// plus a constant, of which the high half is shifted, rounding down; where ties go away from zero,
// the high half of a negative sum is one less.
template <bool kAway>
class DoubledScale {
 public:
  static bool takes(FixedPoint factor) { return factor.shift <= -1 && factor.shift >= -30; }

  // `missing`: what the doubled sums are short of.
  DoubledScale(FixedPoint factor, Rounding rounding, int32_t missing)
      : multiplier_(_mm512_set1_epi32(factor.multiplier)),
        zero_(_mm512_set1_epi32(-missing)),
        right_(_mm512_set1_epi32(-factor.shift)) {
    int64_t addend = int64_t{1} << (31 - factor.shift);
    if (rounding != Rounding::Single) addend += int64_t{1} << 31;
    addend_ = _mm512_set1_epi64(addend + int64_t{missing} * factor.multiplier);
  }

  __m512i operator()(__m512i x) const {
    const __m512i odd_x = _mm512_srli_epi64(x, 32);
    const __m512i even = _mm512_add_epi64(_mm512_mul_epi32(x, multiplier_), addend_);
    const __m512i odd = _mm512_add_epi64(_mm512_mul_epi32(odd_x, multiplier_), addend_);
    __m512i high = _mm512_mask_shuffle_epi32(odd, 0x5555, even, _MM_PERM_DDBB);
    if constexpr (kAway) {
      const __mmask16 negative = _mm512_cmplt_epi32_mask(x, zero_);
      high = _mm512_mask_sub_epi32(high, negative, high, _mm512_set1_epi32(1));
    }
    return _mm512_srav_epi32(high, right_);
  }

 private:
  __m512i multiplier_, addend_, zero_, right_;
};

// Ties of negative results need no care where those are cut off at the zero point anyway.
template <class Args>
bool ties_away(const Args& args) {
  return args.rounding == Rounding::Double && args.low < args.y_zero;
}

// Four vectors of outputs to bytes, zero point and range added, in the order of VPACKSSDW.
template <class T>
class BytePacker {
 public:
  template <class Args>
  explicit BytePacker(const Args& args)
      : zero_(_mm512_set1_epi16(static_cast<int16_t>(args.y_zero))),
        low_(_mm512_set1_epi8(static_cast<char>(args.low))),
        high_(_mm512_set1_epi8(static_cast<char>(args.high))) {}

  __m512i operator()(__m512i y0, __m512i y1, __m512i y2, __m512i y3) const {
    const __m512i front = _mm512_adds_epi16(_mm512_packs_epi32(y0, y1), zero_);
    const __m512i back = _mm512_adds_epi16(_mm512_packs_epi32(y2, y3), zero_);
    if constexpr (std::is_signed_v<T>) {
      const __m512i y = _mm512_packs_epi16(front, back);
      return _mm512_min_epi8(_mm512_max_epi8(y, low_), high_);
    } else {
      const __m512i y = _mm512_packus_epi16(front, back);
      return _mm512_min_epu8(_mm512_max_epu8(y, low_), high_);
    }
  }

 private:
  __m512i zero_, low_, high_;
};

template <class T>
inline __m512i load_block(const BinaryOperand<T>& x, size_t row, size_t col, __mmask64 mask) {
  const T* from = x.data + row * x.row_stride;
  if (x.col_stride == 0) return _mm512_set1_epi8(static_cast<char>(*from));
  return _mm512_maskz_loadu_epi8(mask, from + col);
}

// op: 64 outputs of 64 bytes of each operand. All are copies, which writing to y cannot change.
template <class T, class Op>
void walk_blocks(Op op, size_t rows, size_t cols, BinaryOperand<T> a, BinaryOperand<T> b, T* y,
                 size_t y_stride) {
  if (a.row_stride == cols * a.col_stride && b.row_stride == cols * b.col_stride &&
      y_stride == cols) {
    cols *= rows;
    rows = 1;
  }
  for (size_t r = 0; r < rows; ++r, y += y_stride) {
    for (size_t c = 0; c < cols; c += 64) {
      const __mmask64 mask = first_lanes64(std::min<size_t>(64, cols - c));
      _mm512_mask_storeu_epi8(y + c, mask,
                              op(load_block(a, r, c, mask), load_block(b, r, c, mask)));
    }
  }
}

}  // namespace
}  // namespace hone
