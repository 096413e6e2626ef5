#include <arm_neon.h>

#include "hone/kernels/roof/roof_loop.h"
#include "hone/kernels/roof/roof_variants.h"

namespace hone {
namespace {

// Two rows of four, times two columns of four, to four sums.
struct Bfmmla {
  using Element = uint16_t;
  using Operand = bfloat16x8_t;
  using Vec = float32x4_t;
  static constexpr Element kOne = 0x3f80;  // The upper half of a float.
  static constexpr size_t kRows = 6;
  static constexpr bool kFreshOperand = false;

  static Vec load_sum(const int32_t* x) { return vreinterpretq_f32_s32(vld1q_s32(x)); }
  static Operand load(const Element* x) { return vreinterpretq_bf16_u16(vld1q_u16(x)); }
  static Vec add(Vec sum, Operand a, Operand b) { return vbfmmlaq_f32(sum, a, b); }
  static double total(Vec sum) { return static_cast<double>(vaddvq_f32(sum)); }
};

}  // namespace

double roof_bf16_neon_bf16(size_t rounds) {
  return roof_loop<Bfmmla>(rounds);
}

}  // namespace hone
