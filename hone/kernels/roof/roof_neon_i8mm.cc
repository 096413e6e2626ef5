#include "hone/kernels/roof/roof_neon.h"

#include "hone/kernels/roof/roof_variants.h"

namespace hone {
namespace {

// Two rows of eight, times two columns of eight, to four sums.
struct Smmla : Int32Sums {
  using Operand = int8x16_t;
  static Operand load(const int8_t* x) { return vld1q_s8(x); }
  static Vec add(Vec sum, Operand a, Operand b) { return vmmlaq_s32(sum, a, b); }
};

}  // namespace

double roof_int8_neon_i8mm(size_t rounds) {
  return roof_loop<Smmla>(rounds);
}

}  // namespace hone
