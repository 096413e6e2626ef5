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
  return DoubledScale<true>::takes(args.factor) ? mul_bytes(args) : mul_i8_hwy(args);
}

void mul_u8_avx512(const MulI8Args<uint8_t>& args) {
  return DoubledScale<true>::takes(args.factor) ? mul_bytes(args) : mul_u8_hwy(args);
}

}  // namespace hone
#endif
