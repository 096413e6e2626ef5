#include <arm_neon.h>

#include "hone/kernels/roof/roof_loop.h"
#include "hone/kernels/roof/roof_variants.h"

namespace hone {
namespace {

struct FmlaHalf : RoofOp<float16_t> {
  using Operand = float16x8_t;
  using Vec = float16x8_t;

  static Vec load_sum(const int32_t* x) { return vreinterpretq_f16_s32(vld1q_s32(x)); }
  static Operand load(const Element* x) { return vld1q_f16(x); }
  static Vec add(Vec sum, Operand a, Operand b) { return vfmaq_f16(sum, a, b); }
  static double total(Vec sum) {
    const float32x4_t low = vcvt_f32_f16(vget_low_f16(sum));
    return static_cast<double>(vaddvq_f32(vaddq_f32(low, vcvt_high_f32_f16(sum))));
  }
};

}  // namespace

double roof_fp16_neon_fp16(size_t rounds) {
  return roof_loop<FmlaHalf>(rounds);
}

}  // namespace hone
