#include "hone/targets/cpu/precision.h"

#include "hone/kernels/gemm/gemm.h"
#include "hone/kernels/gemm_bf16/gemm_bf16.h"

namespace hone::cpu {
namespace {

// The reference stands last.
template <class Kernel>
bool is_fast(std::span<const KernelVariant<Kernel>> variants) {
  return &best_variant(variants) != &variants.back();
}

}  // namespace

Precision kernel_precision(Precision asked) {
  if (asked == Precision::F16 && !is_fast(gemm_f16_variants())) return Precision::F32;
  if (asked == Precision::BF16 && !is_fast(gemm_bf16_variants())) return Precision::F32;
  return asked;
}

}  // namespace hone::cpu
