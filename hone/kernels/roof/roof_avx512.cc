#include "hone/kernels/avx512.h"
#include "hone/kernels/roof/roof_loop.h"
#include "hone/kernels/roof/roof_variants.h"

namespace hone {
namespace {

struct Fma512 : RoofOp<float> {
  using Operand = __m512;
  using Vec = __m512;

  static Vec load_sum(const int32_t* x) { return _mm512_load_ps(x); }
  static Operand load(const Element* x) { return _mm512_load_ps(x); }
  static Vec add(Vec sum, Operand a, Operand b) { return _mm512_fmadd_ps(a, b, sum); }
  static double total(Vec sum) { return static_cast<double>(_mm512_reduce_add_ps(sum)); }
};

}  // namespace

double roof_fp32_avx512(size_t rounds) {
  return roof_loop<Fma512>(rounds);
}

}  // namespace hone
