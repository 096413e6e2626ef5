#include <arm_neon.h>

#include "hone/kernels/roof/roof_loop.h"
#include "hone/kernels/roof/roof_variants.h"

namespace hone {
namespace {

// Two rows of eight, times two columns of eight, to four sums.
struct Smmla {
  using Element = int8_t;
  using Operand = int8x16_t;
  using Vec = int32x4_t;
  static constexpr Element kOne = 1;
  static constexpr size_t kRows = 6;
  static constexpr bool kFreshOperand = false;

  static Vec load_sum(const int32_t* x) { return vld1q_s32(x); }
  static Operand load(const Element* x) { return vld1q_s8(x); }
  static Vec add(Vec sum, Operand a, Operand b) { return vmmlaq_s32(sum, a, b); }
  static double total(Vec sum) { return static_cast<double>(vaddlvq_s32(sum)); }
};

}  // namespace

double roof_int8_neon_i8mm(size_t rounds) {
  return roof_loop<Smmla>(rounds);
}

}  // namespace hone
