#include "hone/kernels/avx512.h"
#include "hone/kernels/roof/roof_loop.h"
#include "hone/kernels/roof/roof_variants.h"

namespace hone {
namespace {

struct Vdpbf16ps : RoofOp<uint16_t> {
  using Operand = __m512bh;
  using Vec = __m512;
  static constexpr Element kOne = 0x3f80;

  static Vec load_sum(const int32_t* x) { return _mm512_load_ps(x); }
  static Operand load(const Element* x) { return reinterpret_cast<__m512bh>(_mm512_load_si512(x)); }
  static Vec add(Vec sum, Operand a, Operand b) { return _mm512_dpbf16_ps(sum, a, b); }
  static double total(Vec sum) { return static_cast<double>(_mm512_reduce_add_ps(sum)); }
};

}  // namespace

double roof_bf16_avx512_bf16(size_t rounds) {
  return roof_loop<Vdpbf16ps>(rounds);
}

}  // namespace hone
