#include "hone/kernels/softmax/softmax.h"

#include "hone/kernels/hwy_targets.h"

namespace hone {

template <class T>
void softmax_ref(size_t rows, size_t cols, const T* x, T* y);
void softmax_f32_hwy(size_t rows, size_t cols, const float* x, float* y);
void softmax_f16_hwy(size_t rows, size_t cols, const Half* x, Half* y);

std::span<const KernelVariant<SoftmaxF32>> softmax_f32_variants() {
  static constexpr KernelVariant<SoftmaxF32> kVariants[] = {
      {"hwy", kHwy, softmax_f32_hwy},
      {"ref", kNoFeature, softmax_ref<float>},
  };
  return kVariants;
}

std::span<const KernelVariant<SoftmaxF16>> softmax_f16_variants() {
  static constexpr KernelVariant<SoftmaxF16> kVariants[] = {
      {"hwy", kHwyF16, softmax_f16_hwy},
      {"ref", kNoFeature, softmax_ref<Half>},
  };
  return kVariants;
}

}  // namespace hone
