#include "hone/kernels/activate/activate.h"

#include "hone/kernels/hwy_targets.h"

namespace hone {

void activate_f32_ref(const Activation& activation, size_t rows, size_t cols, const float* x,
                      size_t x_stride, float* y, size_t y_stride);
void activate_f32_hwy(const Activation& activation, size_t rows, size_t cols, const float* x,
                      size_t x_stride, float* y, size_t y_stride);
void activate_f16_ref(const Activation& activation, size_t rows, size_t cols, const Half* x,
                      size_t x_stride, Half* y, size_t y_stride);
void activate_f16_hwy(const Activation& activation, size_t rows, size_t cols, const Half* x,
                      size_t x_stride, Half* y, size_t y_stride);
#if defined(__aarch64__)
void activate_f16_neon_fp16(const Activation& activation, size_t rows, size_t cols, const Half* x,
                            size_t x_stride, Half* y, size_t y_stride);
#endif

std::span<const KernelVariant<ActivateF32>> activate_f32_variants() {
  static constexpr KernelVariant<ActivateF32> kVariants[] = {
      {"hwy", kHwy, activate_f32_hwy},
      {"ref", kNoFeature, activate_f32_ref},
  };
  return kVariants;
}

std::span<const KernelVariant<ActivateF16>> activate_f16_variants() {
  static constexpr KernelVariant<ActivateF16> kVariants[] = {
#if defined(__aarch64__)
    {"neon_fp16", kFp16, activate_f16_neon_fp16},
#endif
    {"hwy", kHwyF16, activate_f16_hwy},
    {"ref", kNoFeature, activate_f16_ref},
  };
  return kVariants;
}

}  // namespace hone
