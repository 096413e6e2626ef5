#include "hone/targets/cpu/precision.h"

#include "hone/kernels/gemm/gemm.h"
#include "hone/kernels/gemm_bf16/gemm_bf16.h"

namespace hone::cpu {
namespace {

template <class Variants>
bool is_fast(const Variants& variants) {
  return best_variant(variants).name != "ref";
}

}  // namespace

Precision kernel_precision(Precision asked) {
  if (asked == Precision::F16 && !is_fast(gemm_f16_variants())) return Precision::F32;
  if (asked == Precision::BF16 && !is_fast(gemm_bf16_variants())) return Precision::F32;
  return asked;
}

}  // namespace hone::cpu
