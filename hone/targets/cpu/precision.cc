#include "hone/targets/cpu/precision.h"

#include <algorithm>

#include "hone/kernels/gemm/gemm.h"
#include "hone/kernels/gemm_bf16/gemm_bf16.h"

namespace hone::cpu {
namespace {

// The reference stands last.
template <class Kernel>
bool is_fast(std::span<const KernelVariant<Kernel>> variants) {
  return &best_variant(variants) != &variants.back();
}

template <class Kernel>
bool is_fast_untaken(std::span<const KernelVariant<Kernel>> variants) {
  return std::ranges::any_of(variants.first(variants.size() - 1), [](const auto& variant) {
    return (detected_cpu_features() & variant.needs) == variant.needs;
  });
}

}  // namespace

Precision kernel_precision(Precision asked) {
  if (asked == Precision::F16 && !is_fast(gemm_f16_variants())) return Precision::F32;
  if (asked == Precision::BF16 && !is_fast(gemm_bf16_variants())) return Precision::F32;
  return asked;
}

bool has_precision_by_itself(Precision asked) {
  if (asked == Precision::F16) return is_fast_untaken(gemm_f16_variants());
  return asked != Precision::BF16 || is_fast_untaken(gemm_bf16_variants());
}

bool multiplies_halves() {
  return (best_variant(gemm_f16_variants()).needs & (kFp16 | kAvx512Fp16)) != 0;
}

}  // namespace hone::cpu
