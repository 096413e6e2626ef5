// Compiled with -mavx512vbmi and -mavx512vnni; reached only through add_i8_variants() and
// add_u8_variants().
//
// A scaled operand is a function of one byte x, and nearly linear: 256 * slope * x, plus a word. So
// it is two tables of bytes and a product of 16 bits, whatever the rounding. One operand at least has
// a factor of 1/2 where scales are those of TFLite, and words that are all the same: it needs no
// table.
//
// Where there is a line, a sum takes two products.
#if defined(__x86_64__)
#include <cmath>
#include <utility>

#include "hone/kernels/add_i8/add_i8.h"
#include "hone/kernels/bytes_avx512.h"
#include "hone/kernels/requantize_x86.h"

namespace hone {

void add_i8_hwy(const AddI8Args<int8_t>& args);
void add_u8_hwy(const AddI8Args<uint8_t>& args);

namespace {

// Twice the scaled operand as a function of a signed byte x: 256 * slope * x + words[x] + center.
// Words of two operands do not overflow when they are added.
class OperandTable {
 public:
  // `sign`: -1 for what is subtracted. `zero`: of x as a signed byte.
  OperandTable(FixedPoint factor, Rounding rounding, int32_t zero, int32_t sign) {
    alignas(64) int32_t values[256];
    for (int32_t i = 0; i < 256; i += 16) {
      const __m512i x =
          _mm512_slli_epi32(_mm512_sub_epi32(byte_of(i), _mm512_set1_epi32(zero)), kAddI8Headroom);
      const __m512i y = scale_by_x86<Int32x16>(x, _mm512_set1_epi32(factor.multiplier),
                                               _mm512_set1_epi32(factor.shift), rounding);
      _mm512_store_si512(values + i, _mm512_mullo_epi32(y, _mm512_set1_epi32(2 * sign)));
    }
    const int32_t first = values[128], last = values[127];
    slope = static_cast<int32_t>(std::lrint((static_cast<double>(last) - first) / (255 * 256)));
    center = (first + last + 256 * slope) / 2;
    split(values);
  }

  int32_t slope;
  int32_t center;
  bool constant;  // Whether all words are zero.
  alignas(64) uint8_t low[256];
  alignas(64) uint8_t high[256];

 private:
  // The signed bytes from bits `i` on.
  static __m512i byte_of(int32_t i) {
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm512_add_epi32(lanes, _mm512_set1_epi32(i < 128 ? i : i - 256));
  }

  void split(const int32_t (&values)[256]) {
    __m512i any = _mm512_setzero_si512();
    for (int32_t i = 0; i < 256; i += 16) {
      const __m512i line = _mm512_mullo_epi32(byte_of(i), _mm512_set1_epi32(256 * slope));
      const __m512i word = _mm512_sub_epi32(_mm512_sub_epi32(Int32x16::load(values + i), line),
                                            _mm512_set1_epi32(center));
      any = _mm512_or_si512(any, word);
      _mm_store_si128(reinterpret_cast<__m128i*>(low + i), _mm512_cvtepi32_epi8(word));
      _mm_store_si128(reinterpret_cast<__m128i*>(high + i),
                      _mm512_cvtepi32_epi8(_mm512_srli_epi32(word, 8)));
    }
    constant = _mm512_test_epi32_mask(any, any) == 0;
  }
};

// 64 words, those of VPUNPCKLBW and VPUNPCKHBW.
struct Words {
  __m512i low, high;

  Words(__m512i bottom, __m512i top)
      : low(_mm512_unpacklo_epi8(bottom, top)), high(_mm512_unpackhi_epi8(bottom, top)) {}
};

// Sums of products of pairs take one of a pair: the factor of the other is zero.
struct Factor {
  __m512i even, odd;

  explicit Factor(int32_t x)
      : even(_mm512_set1_epi32(x & 0xFFFF)),
        odd(_mm512_set1_epi32(static_cast<int32_t>(static_cast<uint32_t>(x) << 16))) {}
};

// kBoth: whether a has words as well as b.
template <class T, bool kAway, bool kBoth>
class AddBlock {
 public:
  AddBlock(const AddI8Args<T>& p, const OperandTable& a, const OperandTable& b)
      : a_slope_(a.slope),
        b_slope_(b.slope),
        a_low_(a.low),
        a_high_(a.high),
        b_low_(b.low),
        b_high_(b.high),
        scale_(p.y_factor, p.rounding, a.center + b.center),
        pack_(p) {}

  __m512i operator()(__m512i a, __m512i b) const {
    if constexpr (!std::is_signed_v<T>) {
      a = _mm512_xor_si512(a, _mm512_set1_epi8(-128));
      b = _mm512_xor_si512(b, _mm512_set1_epi8(-128));
    }
    const Words x(_mm512_setzero_si512(), a), y(_mm512_setzero_si512(), b);
    Words rest(b_low_(b), b_high_(b));
    if constexpr (kBoth) {
      const Words more(a_low_(a), a_high_(a));
      rest.low = _mm512_add_epi16(rest.low, more.low);
      rest.high = _mm512_add_epi16(rest.high, more.high);
    }
    const Factor one(1);
    const auto sum = [](__m512i by_a, __m512i a_factor, __m512i by_b, __m512i b_factor,
                        __m512i by_one, __m512i ones) {
      const __m512i lines = _mm512_dpwssd_epi32(_mm512_madd_epi16(by_a, a_factor), by_b, b_factor);
      return _mm512_dpwssd_epi32(lines, by_one, ones);
    };
    const __m512i y0 = sum(x.low, a_slope_.even, y.low, b_slope_.even, rest.low, one.even);
    const __m512i y1 = sum(x.low, a_slope_.odd, y.low, b_slope_.odd, rest.low, one.odd);
    const __m512i y2 = sum(x.high, a_slope_.even, y.high, b_slope_.even, rest.high, one.even);
    const __m512i y3 = sum(x.high, a_slope_.odd, y.high, b_slope_.odd, rest.high, one.odd);
    return in_order(pack_(scale_(y0), scale_(y1), scale_(y2), scale_(y3)));
  }

 private:
  // Each eight bytes are four even and four odd ones.
  static __m512i in_order(__m512i y) {
    const __m128i order = _mm_setr_epi8(0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15);
    return _mm512_shuffle_epi8(y, _mm512_broadcast_i32x4(order));
  }

  Factor a_slope_, b_slope_;
  ByteTable a_low_, a_high_, b_low_, b_high_;
  DoubledScale<kAway> scale_;
  BytePacker<T> pack_;
};

// Sums by a line. A slope is 256 times a word and a byte, and what a pair of words holds is 256 times
// a byte of each operand, of which both kinds of products take what they need.
template <class T>
class LineBlock {
 public:
  explicit LineBlock(const AddI8Args<T>& p, const AddI8Line& line)
      : words_(_mm512_set1_epi32(pair(line.a_slope >> 8, line.b_slope >> 8))),
        bytes_(_mm512_set1_epi32(pair(line.a_slope << 8, line.b_slope << 8))),
        offset_(_mm512_set1_epi32(offset_of(line))),
        right_(_mm512_set1_epi32(line.shift)),
        pack_(p) {}

  __m512i operator()(__m512i a, __m512i b) const {
    if constexpr (!std::is_signed_v<T>) {
      a = _mm512_xor_si512(a, _mm512_set1_epi8(-128));
      b = _mm512_xor_si512(b, _mm512_set1_epi8(-128));
    }
    const Words pairs(a, b);
    const Words front(_mm512_setzero_si512(), pairs.low), back(_mm512_setzero_si512(), pairs.high);
    return pack_(sum(front.low), sum(front.high), sum(back.low), sum(back.high));
  }

 private:
  // Two words, of which the lower 16 bits count.
  static int32_t pair(int32_t a, int32_t b) {
    return static_cast<int32_t>((static_cast<uint32_t>(a) & 0xFFFF) | static_cast<uint32_t>(b)
                                                                          << 16);
  }
  // Of operands that are signed bytes.
  static int32_t offset_of(const AddI8Line& line) {
    const uint32_t slopes =
        static_cast<uint32_t>(line.a_slope) + static_cast<uint32_t>(line.b_slope);
    return static_cast<int32_t>(static_cast<uint32_t>(line.offset) +
                                (std::is_signed_v<T> ? 0 : 128 * slopes));
  }

  __m512i sum(__m512i x) const {
    const __m512i most = _mm512_dpwssd_epi32(offset_, x, words_);
    return _mm512_srav_epi32(_mm512_dpbusd_epi32(most, bytes_, x), right_);
  }

  __m512i words_, bytes_, offset_, right_;
  BytePacker<T> pack_;
};

template <class T>
void add_by_line(AddI8Args<T> p) {
  p.y_zero = p.line->zero;
  walk_blocks(LineBlock<T>(p, *p.line), p.rows, p.cols, p.a, p.b, p.y, p.y_stride);
}

template <bool kAway, bool kBoth, class T>
void add_operands(const AddI8Args<T>& p, const OperandTable& a, const OperandTable& b) {
  if (!kBoth && b.constant) {
    return walk_blocks(AddBlock<T, kAway, kBoth>(p, b, a), p.rows, p.cols, p.b, p.a, p.y,
                       p.y_stride);
  }
  walk_blocks(AddBlock<T, kAway, kBoth>(p, a, b), p.rows, p.cols, p.a, p.b, p.y, p.y_stride);
}

template <class T>
void add_bytes(const AddI8Args<T>& p) {
  constexpr int32_t kFlip = std::is_signed_v<T> ? 0 : 128;
  const OperandTable a(p.a_factor, p.rounding, p.a_zero - kFlip, 1);
  const OperandTable b(p.b_factor, p.rounding, p.b_zero - kFlip, p.subtract ? -1 : 1);
  const bool both = !a.constant && !b.constant;
  if (ties_away(p))
    return both ? add_operands<true, true>(p, a, b) : add_operands<true, false>(p, a, b);
  return both ? add_operands<false, true>(p, a, b) : add_operands<false, false>(p, a, b);
}

template <class T>
bool takes(const AddI8Args<T>& p) {
  const auto below_one = [](FixedPoint factor) { return factor.shift <= 0 && factor.shift >= -30; };
  return below_one(p.a_factor) && below_one(p.b_factor) && DoubledScale<true>::takes(p.y_factor);
}

}  // namespace

void add_i8_avx512_vbmi(const AddI8Args<int8_t>& args) {
  if (args.line) return add_by_line(args);
  return takes(args) ? add_bytes(args) : add_i8_hwy(args);
}

void add_u8_avx512_vbmi(const AddI8Args<uint8_t>& args) {
  if (args.line) return add_by_line(args);
  return takes(args) ? add_bytes(args) : add_u8_hwy(args);
}

}  // namespace hone
#endif
