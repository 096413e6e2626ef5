// Compiled with -mavx512bw; reached only through quantize_i8_variants() and quantize_u8_variants().
// 64 at a time: four vectors of floats become one of bytes with a permutation for all of them.
#if defined(__x86_64__)
#include <algorithm>
#include <cstring>

#include "hone/kernels/bytes_avx512.h"
#include "hone/kernels/quantize/quantize.h"

namespace hone {

void quantize_i8_hwy(const QuantizeI8& args, size_t n, const float* x, int8_t* y);
void quantize_u8_hwy(const QuantizeI8& args, size_t n, const float* x, uint8_t* y);

namespace {

constexpr size_t kBlock = 64;

// What BytePacker asks for.
struct ByteRange {
  int32_t y_zero, low, high;
};

template <bool kTiesToEven, class T>
class QuantizeBlock {
 public:
  explicit QuantizeBlock(const QuantizeI8& p)
      : scale_(_mm512_set1_ps(p.scale)),
        reciprocal_(_mm512_set1_ps(1 / p.scale)),
        least_(_mm512_set1_ps(p.scale * -0x1p20f)),
        most_(_mm512_set1_ps(p.scale * 0x1p20f)),
        pack_(ByteRange{p.zero_point, p.low, p.high}) {}

  void operator()(const float* x, T* y) const {
    // Dwords of each of the four lie side by side in every 128 bits.
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const __m512i bytes = pack_(steps(x), steps(x + 16), steps(x + 32), steps(x + 48));
    _mm512_storeu_si512(y, _mm512_permutexvar_epi32(order, bytes));
  }

 private:
  // x / scale, rounded, by a product with the reciprocal that is corrected twice by what it leaves of
  // x. Within 2^20 either way: beyond that nothing but the clamp can follow. NaN becomes 0.
  __m512i steps(const float* from) const {
    __m512 x = _mm512_loadu_ps(from);
    const __mmask16 numbers = _mm512_cmp_ps_mask(x, x, _CMP_ORD_Q);
    x = _mm512_max_ps(_mm512_maskz_min_ps(numbers, x, most_), least_);
    __m512 quotient = _mm512_mul_ps(x, reciprocal_);
    quotient = _mm512_fmadd_ps(_mm512_fnmadd_ps(quotient, scale_, x), reciprocal_, quotient);
    quotient = _mm512_fmadd_ps(_mm512_fnmadd_ps(quotient, scale_, x), reciprocal_, quotient);
    if constexpr (kTiesToEven) return _mm512_cvtps_epi32(quotient);
    // The largest float below a half: half itself would lift 0.49999997 to 1.
    const __m512i half = _mm512_castps_si512(_mm512_set1_ps(0x1.fffffep-2f));
    const __m512i sign = _mm512_set1_epi32(INT32_MIN);
    const __m512i signed_half =
        _mm512_ternarylogic_epi32(sign, _mm512_castps_si512(quotient), half, 0xCA);
    return _mm512_cvttps_epi32(_mm512_add_ps(quotient, _mm512_castsi512_ps(signed_half)));
  }

  __m512 scale_, reciprocal_, least_, most_;
  BytePacker<T> pack_;
};

template <bool kTiesToEven, class T>
void quantize_blocks(const QuantizeI8& p, size_t n, const float* x, T* y) {
  const QuantizeBlock<kTiesToEven, T> block(p);
  size_t i = 0;
  for (; i + kBlock <= n; i += kBlock) block(x + i, y + i);
  if (i == n) return;
  float from[kBlock] = {};
  T to[kBlock];
  std::memcpy(from, x + i, (n - i) * sizeof(float));
  block(from, to);
  std::memcpy(y + i, to, n - i);
}

// Whether neither the reciprocal nor the bounds leave the range of floats.
bool takes(const QuantizeI8& p) {
  return p.scale >= 0x1p-90f && p.scale <= 0x1p90f;
}

template <class T>
void quantize(const QuantizeI8& p, size_t n, const float* x, T* y) {
  return p.ties_to_even ? quantize_blocks<true>(p, n, x, y) : quantize_blocks<false>(p, n, x, y);
}

}  // namespace

void quantize_i8_avx512(const QuantizeI8& args, size_t n, const float* x, int8_t* y) {
  return takes(args) ? quantize(args, n, x, y) : quantize_i8_hwy(args, n, x, y);
}

void quantize_u8_avx512(const QuantizeI8& args, size_t n, const float* x, uint8_t* y) {
  return takes(args) ? quantize(args, n, x, y) : quantize_u8_hwy(args, n, x, y);
}

}  // namespace hone
#endif
