#include "hone/kernels/scale_shift/scale_shift.h"

#include "hone/kernels/hwy_targets.h"

namespace hone {

void scale_shift_f32_ref(const ScaleShiftArgs<float>& args);
void scale_shift_f32_hwy(const ScaleShiftArgs<float>& args);
void scale_shift_f16_ref(const ScaleShiftArgs<Half>& args);
void scale_shift_f16_hwy(const ScaleShiftArgs<Half>& args);

std::span<const KernelVariant<ScaleShiftF32>> scale_shift_f32_variants() {
  static constexpr KernelVariant<ScaleShiftF32> kVariants[] = {
      {"hwy", kHwy, scale_shift_f32_hwy},
      {"ref", kNoFeature, scale_shift_f32_ref},
  };
  return kVariants;
}

std::span<const KernelVariant<ScaleShiftF16>> scale_shift_f16_variants() {
  static constexpr KernelVariant<ScaleShiftF16> kVariants[] = {
      {"hwy", kHwyF16, scale_shift_f16_hwy},
      {"ref", kNoFeature, scale_shift_f16_ref},
  };
  return kVariants;
}

}  // namespace hone
