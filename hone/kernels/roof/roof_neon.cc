#include <arm_neon.h>

#include "hone/kernels/roof/roof_loop.h"
#include "hone/kernels/roof/roof_variants.h"

namespace hone {
namespace {

struct Fmla {
  using Element = float;
  using Operand = float32x4_t;
  using Vec = float32x4_t;
  static constexpr Element kOne = 1;
  static constexpr size_t kRows = 6;
  static constexpr bool kFreshOperand = false;

  static Vec load_sum(const int32_t* x) { return vreinterpretq_f32_s32(vld1q_s32(x)); }
  static Operand load(const Element* x) { return vld1q_f32(x); }
  static Vec add(Vec sum, Operand a, Operand b) { return vfmaq_f32(sum, a, b); }
  static double total(Vec sum) { return static_cast<double>(vaddvq_f32(sum)); }
};

// What the baseline has for bytes: eight products of 16 bits, then their pairs to sums of 32.
struct SmullSadalp {
  using Element = int8_t;
  using Operand = int8x8_t;
  using Vec = int32x4_t;
  static constexpr Element kOne = 1;
  static constexpr size_t kRows = 6;
  static constexpr bool kFreshOperand = true;

  static Vec load_sum(const int32_t* x) { return vld1q_s32(x); }
  static Operand load(const Element* x) { return vld1_s8(x); }
  static Vec add(Vec sum, Operand a, Operand b) { return vpadalq_s16(sum, vmull_s8(a, b)); }
  static double total(Vec sum) { return static_cast<double>(vaddlvq_s32(sum)); }
};

}  // namespace

double roof_fp32_neon(size_t rounds) {
  return roof_loop<Fmla>(rounds);
}

double roof_int8_neon(size_t rounds) {
  return roof_loop<SmullSadalp>(rounds);
}

}  // namespace hone
