#include "hone/kernels/roof/roof_neon.h"

#include "hone/kernels/roof/roof_variants.h"

namespace hone {
namespace {

struct Fmla : FloatSums<float> {
  using Operand = float32x4_t;
  static Operand load(const float* x) { return vld1q_f32(x); }
  static Vec add(Vec sum, Operand a, Operand b) { return vfmaq_f32(sum, a, b); }
};

// What the baseline has for bytes: eight products of 16 bits, then their pairs to sums of 32.
struct SmullSadalp : Int32Sums {
  using Operand = int8x8_t;
  static constexpr bool kFreshOperand = true;
  static Operand load(const int8_t* x) { return vld1_s8(x); }
  static Vec add(Vec sum, Operand a, Operand b) { return vpadalq_s16(sum, vmull_s8(a, b)); }
};

}  // namespace

double roof_fp32_neon(size_t rounds) {
  return roof_loop<Fmla>(rounds);
}

double roof_int8_neon(size_t rounds) {
  return roof_loop<SmullSadalp>(rounds);
}

}  // namespace hone
