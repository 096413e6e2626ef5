#include "hone/kernels/layer_norm/layer_norm.h"

#include "hone/kernels/hwy_targets.h"

namespace hone {

template <class T>
void layer_norm_ref(const LayerNormArgs<T>& args);
void layer_norm_f32_hwy(const LayerNormArgs<float>& args);
void layer_norm_f16_hwy(const LayerNormArgs<Half>& args);

std::span<const KernelVariant<LayerNorm<float>>> layer_norm_f32_variants() {
  static constexpr KernelVariant<LayerNorm<float>> kVariants[] = {
      {"hwy", kHwy, layer_norm_f32_hwy},
      {"ref", kNoFeature, layer_norm_ref<float>},
  };
  return kVariants;
}

std::span<const KernelVariant<LayerNorm<Half>>> layer_norm_f16_variants() {
  static constexpr KernelVariant<LayerNorm<Half>> kVariants[] = {
      {"hwy", kHwyF16, layer_norm_f16_hwy},
      {"ref", kNoFeature, layer_norm_ref<Half>},
  };
  return kVariants;
}

}  // namespace hone
