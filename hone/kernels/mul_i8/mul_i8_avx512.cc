// Compiled with -mavx512bw and others; reached only through mul_i8_variants() and mul_u8_variants().
#if defined(__x86_64__)
#include "hone/kernels/bytes_avx512.h"
#include "hone/kernels/mul_i8/mul_i8.h"

namespace hone {

void mul_i8_hwy(const MulI8Args<int8_t>& args);
void mul_u8_hwy(const MulI8Args<uint8_t>& args);

namespace {

template <class T, bool kAway>
class MulBlock {
 public:
  explicit MulBlock(const MulI8Args<T>& p)
      : a_zero_(_mm512_set1_epi16(static_cast<int16_t>(p.a_zero + kFlip))),
        b_zero_(_mm512_set1_epi16(static_cast<int16_t>(p.b_zero + kFlip))),
        scale_(p.factor, p.rounding, 0),
        pack_(p) {}

  __m512i operator()(__m512i a, __m512i b) const {
    const Words x(a, a_zero_), y(b, b_zero_);
    const __m512i x_low = _mm512_add_epi16(x.low, x.low), x_high = _mm512_add_epi16(x.high, x.high);
    const Products front(x_low, y.low), back(x_high, y.high);
    return pack_(scale_(front.low), scale_(front.high), scale_(back.low), scale_(back.high));
  }

 private:
  // Signed bytes are taken as unsigned ones with another zero point: these are widened by VPUNPCK
  // alone.
  static constexpr int32_t kFlip = std::is_signed_v<T> ? 128 : 0;

  struct Words {
    __m512i low, high;
    Words(__m512i x, __m512i zero) {
      if constexpr (kFlip != 0) x = _mm512_xor_si512(x, _mm512_set1_epi8(-128));
      low = _mm512_sub_epi16(_mm512_unpacklo_epi8(x, _mm512_setzero_si512()), zero);
      high = _mm512_sub_epi16(_mm512_unpackhi_epi8(x, _mm512_setzero_si512()), zero);
    }
  };
  struct Products {
    __m512i low, high;
    Products(__m512i x, __m512i y) {
      const __m512i bottom = _mm512_mullo_epi16(x, y), top = _mm512_mulhi_epi16(x, y);
      low = _mm512_unpacklo_epi16(bottom, top);
      high = _mm512_unpackhi_epi16(bottom, top);
    }
  };

  __m512i a_zero_, b_zero_;
  DoubledScale<kAway> scale_;
  BytePacker<T> pack_;
};

// Products of 64 columns with the same 64 bytes in every row, by their lines. A slope is 256 times a
// word and a byte, and a pair of words holds 256 times a byte, and the byte.
template <class T>
class LineBlock {
 public:
  LineBlock(const MulI8Args<T>& p, __m512i b)
      : right_(_mm512_set1_epi32(p.lines->shift)), pack_(p) {
    const __m512i zero = _mm512_setzero_si512();
    const __m512i front = _mm512_unpacklo_epi8(b, zero), back = _mm512_unpackhi_epi8(b, zero);
    columns_[0] = Columns(*p.lines, _mm512_unpacklo_epi16(front, zero));
    columns_[1] = Columns(*p.lines, _mm512_unpackhi_epi16(front, zero));
    columns_[2] = Columns(*p.lines, _mm512_unpacklo_epi16(back, zero));
    columns_[3] = Columns(*p.lines, _mm512_unpackhi_epi16(back, zero));
  }

  __m512i operator()(__m512i a) const {
    if constexpr (!std::is_signed_v<T>) a = _mm512_xor_si512(a, _mm512_set1_epi8(-128));
    const __m512i zero = _mm512_setzero_si512();
    const __m512i front = _mm512_unpacklo_epi8(zero, a), back = _mm512_unpackhi_epi8(zero, a);
    const __m512i front_bytes = _mm512_srai_epi16(front, 8);
    const __m512i back_bytes = _mm512_srai_epi16(back, 8);
    return pack_(line(columns_[0], _mm512_unpacklo_epi16(front, front_bytes)),
                 line(columns_[1], _mm512_unpackhi_epi16(front, front_bytes)),
                 line(columns_[2], _mm512_unpacklo_epi16(back, back_bytes)),
                 line(columns_[3], _mm512_unpackhi_epi16(back, back_bytes)));
  }

 private:
  // Of 16 columns whose bytes are these.
  struct Columns {
    __m512i slopes, offsets;

    Columns() = default;
    Columns(const MulI8Lines& lines, __m512i bytes) {
      const __m512i slope = _mm512_i32gather_epi32(bytes, lines.slopes.data(), 4);
      slopes = _mm512_mask_blend_epi16(
          0xAAAAAAAA, _mm512_srli_epi32(slope, 8),
          _mm512_slli_epi32(_mm512_and_si512(slope, _mm512_set1_epi32(255)), 16));
      offsets = _mm512_i32gather_epi32(bytes, lines.offsets.data(), 4);
      if constexpr (!std::is_signed_v<T>) {
        offsets = _mm512_add_epi32(offsets, _mm512_slli_epi32(slope, 7));
      }
    }
  };

  __m512i line(const Columns& columns, __m512i pairs) const {
    const __m512i sums =
        _mm512_add_epi32(_mm512_madd_epi16(pairs, columns.slopes), columns.offsets);
    return _mm512_srav_epi32(sums, right_);
  }

  Columns columns_[4];
  __m512i right_;
  BytePacker<T> pack_;
};

template <class T>
void multiply_by_lines(const MulI8Args<T>& p) {
  for (size_t c = 0; c < p.cols; c += 64) {
    const __mmask64 mask = first_lanes64(std::min<size_t>(64, p.cols - c));
    const LineBlock<T> block(p, _mm512_maskz_loadu_epi8(mask, p.b.data + c));
    const T* a = p.a.data + c;
    T* y = p.y + c;
    for (size_t r = 0; r < p.rows; ++r, a += p.a.row_stride, y += p.y_stride) {
      _mm512_mask_storeu_epi8(y, mask, block(_mm512_maskz_loadu_epi8(mask, a)));
    }
  }
}

template <class T, bool kAway>
void multiply(const MulI8Args<T>& p) {
  walk_blocks(MulBlock<T, kAway>(p), p.rows, p.cols, p.a, p.b, p.y, p.y_stride);
}

template <class T>
void mul_bytes(const MulI8Args<T>& p) {
  return ties_away(p) ? multiply<T, true>(p) : multiply<T, false>(p);
}

}  // namespace

void mul_i8_avx512(const MulI8Args<int8_t>& args) {
  if (args.has_lines()) return multiply_by_lines(args);
  return DoubledScale<true>::takes(args.factor) ? mul_bytes(args) : mul_i8_hwy(args);
}

void mul_u8_avx512(const MulI8Args<uint8_t>& args) {
  if (args.has_lines()) return multiply_by_lines(args);
  return DoubledScale<true>::takes(args.factor) ? mul_bytes(args) : mul_u8_hwy(args);
}

}  // namespace hone
#endif
