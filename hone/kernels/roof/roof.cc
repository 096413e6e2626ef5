#include "hone/kernels/roof/roof.h"

#include "hone/kernels/hwy_targets.h"
#include "hone/kernels/roof/roof_variants.h"

namespace hone {

std::span<const KernelVariant<ComputeLoop>> compute_loops() {
  // Of each precision the best first.
  // precision, instruction, operations per round: 2 * products of an instruction * sums
  static constexpr KernelVariant<ComputeLoop> kLoops[] = {
#if defined(__aarch64__)
    {"fp32_fmla", kNeon, {"fp32", "fmla", 2 * 4 * 24, roof_fp32_neon}},
    {"fp16_fmla", kFp16, {"fp16", "fmla", 2 * 8 * 24, roof_fp16_neon_fp16}},
    {"bf16_bfmmla", kBf16, {"bf16", "bfmmla", 2 * 16 * 24, roof_bf16_neon_bf16}},
    {"int8_smmla", kI8mm, {"int8", "smmla", 2 * 32 * 24, roof_int8_neon_i8mm}},
    {"int8_sdot", kDotprod, {"int8", "sdot", 2 * 16 * 24, roof_int8_neon_dot}},
    {"int8_smull", kNeon, {"int8", "smull, sadalp", 2 * 8 * 24, roof_int8_neon}},
#elif defined(__x86_64__)
    {"fp32_fma_avx512", kAvx512, {"fp32", "vfmadd zmm", 2 * 16 * 24, roof_fp32_avx512}},
    {"fp32_fma_avx2", kAvx2 | kFma, {"fp32", "vfmadd ymm", 2 * 8 * 12, roof_fp32_avx2}},
    {"fp16_fma_avx512",
     kAvx512 | kAvx512Fp16,
     {"fp16", "vfmadd zmm", 2 * 32 * 24, roof_fp16_avx512_fp16}},
    {"bf16_tdpbf16ps",
     kAvx512 | kAvx512Bf16 | kAmxTile | kAmxBf16,
     {"bf16", "tdpbf16ps", 2 * 16 * 16 * 32 * 4, roof_bf16_amx_bf16}},
    {"bf16_vdpbf16ps",
     kAvx512 | kAvx512Bf16,
     {"bf16", "vdpbf16ps zmm", 2 * 32 * 24, roof_bf16_avx512_bf16}},
    {"int8_tdpbssd",
     kAvx512 | kAvx512Vnni | kAmxTile | kAmxInt8,
     {"int8", "tdpbssd", 2 * 16 * 16 * 64 * 4, roof_int8_amx_int8}},
    {"int8_vpdpbusd",
     kAvx512 | kAvx512Vnni,
     {"int8", "vpdpbusd zmm", 2 * 64 * 24, roof_int8_avx512_vnni}},
    {"int8_vpmaddubsw", kAvx2, {"int8", "vpmaddubsw ymm", 2 * 32 * 8, roof_int8_avx2}},
#endif
    {"fp32_scalar", kNoFeature, {"fp32", "multiply, add", 2 * 16, roof_fp32_scalar}},
    {"int8_scalar", kNoFeature, {"int8", "multiply, add", 2 * 16, roof_int8_scalar}},
  };
  return kLoops;
}

std::span<const KernelVariant<MemoryLoops>> memory_loops() {
  static constexpr KernelVariant<MemoryLoops> kLoops[] = {
      {"hwy", kHwy, {roof_read_hwy, roof_write_hwy, roof_copy_hwy}},
      {"ref", kNoFeature, {roof_read_ref, roof_write_ref, roof_copy_ref}},
  };
  return kLoops;
}

}  // namespace hone
