#include "hone/kernels/avx512.h"
#include "hone/kernels/roof/roof_loop.h"
#include "hone/kernels/roof/roof_variants.h"

namespace hone {
namespace {

struct FmaHalf512 : RoofOp<uint16_t> {
  using Operand = __m512h;
  using Vec = __m512h;
  static constexpr Element kOne = 0x3c00;

  static Vec load_sum(const int32_t* x) { return _mm512_castsi512_ph(_mm512_load_si512(x)); }
  static Operand load(const Element* x) { return _mm512_castsi512_ph(_mm512_load_si512(x)); }
  static Vec add(Vec sum, Operand a, Operand b) { return _mm512_fmadd_ph(a, b, sum); }
  static double total(Vec sum) {
    const __m512i bits = _mm512_castph_si512(sum);
    const __m512 low = _mm512_cvtph_ps(_mm512_castsi512_si256(bits));
    const __m512 high = _mm512_cvtph_ps(_mm512_extracti64x4_epi64(bits, 1));
    return static_cast<double>(_mm512_reduce_add_ps(_mm512_add_ps(low, high)));
  }
};

}  // namespace

double roof_fp16_avx512_fp16(size_t rounds) {
  return roof_loop<FmaHalf512>(rounds);
}

}  // namespace hone
