#include "hone/kernels/binary/binary.h"

#include "hone/kernels/hwy_targets.h"

namespace hone {

void binary_f32_ref(const BinaryArgs<float>& args);
void binary_f32_hwy(const BinaryArgs<float>& args);
void binary_f16_ref(const BinaryArgs<Half>& args);
void binary_f16_hwy(const BinaryArgs<Half>& args);
#if defined(__aarch64__)
void binary_f16_neon_fp16(const BinaryArgs<Half>& args);
#endif

std::span<const KernelVariant<BinaryF32>> binary_f32_variants() {
  static constexpr KernelVariant<BinaryF32> kVariants[] = {
      {"hwy", kHwy, binary_f32_hwy},
      {"ref", kNoFeature, binary_f32_ref},
  };
  return kVariants;
}

std::span<const KernelVariant<BinaryF16>> binary_f16_variants() {
  static constexpr KernelVariant<BinaryF16> kVariants[] = {
#if defined(__aarch64__)
    {"neon_fp16", kFp16, binary_f16_neon_fp16},
#endif
    {"hwy", kHwyF16, binary_f16_hwy},
    {"ref", kNoFeature, binary_f16_ref},
  };
  return kVariants;
}

}  // namespace hone
