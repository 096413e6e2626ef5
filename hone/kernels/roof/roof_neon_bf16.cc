#include "hone/kernels/roof/roof_neon.h"

#include "hone/kernels/roof/roof_variants.h"

namespace hone {
namespace {

// Two rows of four, times two columns of four, to four sums.
struct Bfmmla : FloatSums<uint16_t> {
  using Operand = bfloat16x8_t;
  static constexpr uint16_t kOne = 0x3f80;  // The upper half of a float.
  static Operand load(const uint16_t* x) { return vreinterpretq_bf16_u16(vld1q_u16(x)); }
  static Vec add(Vec sum, Operand a, Operand b) { return vbfmmlaq_f32(sum, a, b); }
};

}  // namespace

double roof_bf16_neon_bf16(size_t rounds) {
  return roof_loop<Bfmmla>(rounds);
}

}  // namespace hone
