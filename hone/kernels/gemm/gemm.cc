#include "hone/kernels/gemm/gemm.h"

#include "hone/kernels/gemm/gemm_variants.h"

namespace hone {

std::span<const KernelVariant<GemmF32>> gemm_f32_variants() {
  static const KernelVariant<GemmF32> kVariants[] = {
#if defined(__aarch64__)
    {"neon", kNeon, {kGemmNeonRows, 16, 16, gemm_f32_neon}},
#elif defined(__x86_64__)
    {"avx512", kAvx512, {kGemmAvx512Rows, 64, 16, gemm_f32_avx512, gemm_f32_avx512_pairs, true}},
    {"avx2", kAvx2 | kFma, {kGemmAvx2Rows, 16, 8, gemm_f32_avx2, gemm_f32_avx2_pairs, true}},
#endif
    {"ref",
     kNoFeature,
     {kGemmRefRows, kGemmRefColumns, kGemmRefColumns, gemm_f32_ref, nullptr, true}},
  };
  return kVariants;
}

std::span<const KernelVariant<GemmF16>> gemm_f16_variants() {
  static const KernelVariant<GemmF16> kVariants[] = {
#if defined(__aarch64__)
    {"neon_fp16", kFp16, {kGemmNeonRows, 32, 32, gemm_f16_neon_fp16}},
#elif defined(__x86_64__)
    {"avx512_fp16", kAvx512 | kAvx512Fp16, {kGemmAvx512Rows, 128, 32, gemm_f16_avx512_fp16}},
    {"avx512", kAvx512, {kGemmF16Rows, 32, 16, gemm_f16_avx512}},
    {"avx2", kAvx2 | kFma | kF16c, {kGemmAvx2Rows, 16, 8, gemm_f16_avx2}},
#endif
    {"ref", kNoFeature, {kGemmRefRows, kGemmRefColumns, kGemmRefColumns, gemm_f16_ref}},
  };
  return kVariants;
}

}  // namespace hone
