#include "hone/kernels/avx512.h"
#include "hone/kernels/roof/roof_loop.h"
#include "hone/kernels/roof/roof_variants.h"

namespace hone {
namespace {

struct Vpdpbusd : RoofOp<int8_t> {
  using Operand = __m512i;
  using Vec = __m512i;

  static Vec load_sum(const int32_t* x) { return _mm512_load_si512(x); }
  static Operand load(const Element* x) { return _mm512_load_si512(x); }
  static Vec add(Vec sum, Operand a, Operand b) { return _mm512_dpbusd_epi32(sum, a, b); }
  static double total(Vec sum) { return static_cast<double>(_mm512_reduce_add_epi32(sum)); }
};

}  // namespace

double roof_int8_avx512_vnni(size_t rounds) {
  return roof_loop<Vpdpbusd>(rounds);
}

}  // namespace hone
