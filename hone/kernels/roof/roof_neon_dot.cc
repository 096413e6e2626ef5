#include "hone/kernels/roof/roof_neon.h"

#include "hone/kernels/roof/roof_variants.h"

namespace hone {
namespace {

struct Sdot : Int32Sums {
  using Operand = int8x16_t;
  static Operand load(const int8_t* x) { return vld1q_s8(x); }
  static Vec add(Vec sum, Operand a, Operand b) { return vdotq_s32(sum, a, b); }
};

}  // namespace

double roof_int8_neon_dot(size_t rounds) {
  return roof_loop<Sdot>(rounds);
}

}  // namespace hone
