#include "hone/kernels/depthwise/depthwise.h"

#include "hone/kernels/hwy_targets.h"

namespace hone {

extern const DepthwiseF32 depthwise_f32_hwy;  // depthwise_hwy.cc
extern const DepthwiseF16 depthwise_f16_hwy;
extern const DepthwiseF16 depthwise_f16_neon_fp16;  // depthwise_neon_fp16.cc
extern const DepthwiseI8 depthwise_i8_neon_dot;     // depthwise_integer_neon_dot.cc
extern const DepthwiseU8 depthwise_u8_neon_dot;
extern const DepthwiseI8 depthwise_i8_neon;  // depthwise_integer_neon.cc
extern const DepthwiseU8 depthwise_u8_neon;
extern const DepthwiseI8 depthwise_i8_avx512_vbmi;  // depthwise_integer_avx512_vbmi.cc
extern const DepthwiseU8 depthwise_u8_avx512_vbmi;
extern const DepthwiseI8 depthwise_i8_avx512_vnni;  // depthwise_integer_avx512_vnni.cc
extern const DepthwiseU8 depthwise_u8_avx512_vnni;
extern const DepthwiseI8 depthwise_i8_avx2;  // depthwise_integer_avx2.cc
extern const DepthwiseU8 depthwise_u8_avx2;
extern const DepthwiseF32 depthwise_f32_ref;  // depthwise_ref.cc
extern const DepthwiseF16 depthwise_f16_ref;
extern const DepthwiseI8 depthwise_i8_ref;
extern const DepthwiseU8 depthwise_u8_ref;

std::span<const KernelVariant<DepthwiseF32>> depthwise_f32_variants() {
  static const KernelVariant<DepthwiseF32> kVariants[] = {
      {"hwy", kHwy, depthwise_f32_hwy},
      {"ref", kNoFeature, depthwise_f32_ref},
  };
  return kVariants;
}

std::span<const KernelVariant<DepthwiseF16>> depthwise_f16_variants() {
  static const KernelVariant<DepthwiseF16> kVariants[] = {
#if defined(__aarch64__)
    {"neon_fp16", kNeon | kFp16, depthwise_f16_neon_fp16},
#endif
    {"hwy", kHwyF16, depthwise_f16_hwy},
    {"ref", kNoFeature, depthwise_f16_ref},
  };
  return kVariants;
}

std::span<const KernelVariant<DepthwiseI8>> depthwise_i8_variants() {
  static const KernelVariant<DepthwiseI8> kVariants[] = {
#if defined(__aarch64__)
    {"neon_dot", kNeon | kDotprod, depthwise_i8_neon_dot},
    {"neon", kNeon, depthwise_i8_neon},
#elif defined(__x86_64__)
    {"avx512_vbmi", kAvx512 | kAvx512Vnni | kAvx512Vbmi, depthwise_i8_avx512_vbmi},
    {"avx512_vnni", kAvx512 | kAvx512Vnni, depthwise_i8_avx512_vnni},
    {"avx2", kAvx2, depthwise_i8_avx2},
#endif
    {"ref", kNoFeature, depthwise_i8_ref},
  };
  return kVariants;
}

std::span<const KernelVariant<DepthwiseU8>> depthwise_u8_variants() {
  static const KernelVariant<DepthwiseU8> kVariants[] = {
#if defined(__aarch64__)
    {"neon_dot", kNeon | kDotprod, depthwise_u8_neon_dot},
    {"neon", kNeon, depthwise_u8_neon},
#elif defined(__x86_64__)
    {"avx512_vbmi", kAvx512 | kAvx512Vnni | kAvx512Vbmi, depthwise_u8_avx512_vbmi},
    {"avx512_vnni", kAvx512 | kAvx512Vnni, depthwise_u8_avx512_vnni},
    {"avx2", kAvx2, depthwise_u8_avx2},
#endif
    {"ref", kNoFeature, depthwise_u8_ref},
  };
  return kVariants;
}

}  // namespace hone
