#include "hone/kernels/convert/convert.h"

#include "hone/kernels/hwy_targets.h"

namespace hone {

template <class From, class To>
void convert_ref(size_t n, const From* x, To* y) {
  for (size_t i = 0; i < n; ++i) y[i] = To(static_cast<float>(x[i]));
}

void convert_f32_f16_hwy(size_t n, const float* x, Half* y);
void convert_f16_f32_hwy(size_t n, const Half* x, float* y);
void convert_f32_bf16_hwy(size_t n, const float* x, BFloat16* y);
void convert_bf16_f32_hwy(size_t n, const BFloat16* x, float* y);

std::span<const KernelVariant<Convert<float, Half>>> convert_f32_f16_variants() {
  static constexpr KernelVariant<Convert<float, Half>> kVariants[] = {
      {"hwy", kHwyF16, convert_f32_f16_hwy},
      {"ref", kNoFeature, convert_ref<float, Half>},
  };
  return kVariants;
}

std::span<const KernelVariant<Convert<Half, float>>> convert_f16_f32_variants() {
  static constexpr KernelVariant<Convert<Half, float>> kVariants[] = {
      {"hwy", kHwyF16, convert_f16_f32_hwy},
      {"ref", kNoFeature, convert_ref<Half, float>},
  };
  return kVariants;
}

std::span<const KernelVariant<Convert<float, BFloat16>>> convert_f32_bf16_variants() {
  static constexpr KernelVariant<Convert<float, BFloat16>> kVariants[] = {
      {"hwy", kHwy, convert_f32_bf16_hwy},
      {"ref", kNoFeature, convert_ref<float, BFloat16>},
  };
  return kVariants;
}

std::span<const KernelVariant<Convert<BFloat16, float>>> convert_bf16_f32_variants() {
  static constexpr KernelVariant<Convert<BFloat16, float>> kVariants[] = {
      {"hwy", kHwy, convert_bf16_f32_hwy},
      {"ref", kNoFeature, convert_ref<BFloat16, float>},
  };
  return kVariants;
}

}  // namespace hone
