#include "hone/kernels/reduce/reduce.h"

#include "hone/kernels/hwy_targets.h"

namespace hone {

template <class T>
void reduce_ref(const ReduceArgs<T>& args);
void reduce_f32_hwy(const ReduceArgs<float>& args);
void reduce_f16_hwy(const ReduceArgs<Half>& args);

std::span<const KernelVariant<Reduce<float>>> reduce_f32_variants() {
  static constexpr KernelVariant<Reduce<float>> kVariants[] = {
      {"hwy", kHwy, reduce_f32_hwy},
      {"ref", kNoFeature, reduce_ref<float>},
  };
  return kVariants;
}

std::span<const KernelVariant<Reduce<Half>>> reduce_f16_variants() {
  static constexpr KernelVariant<Reduce<Half>> kVariants[] = {
      {"hwy", kHwyF16, reduce_f16_hwy},
      {"ref", kNoFeature, reduce_ref<Half>},
  };
  return kVariants;
}

}  // namespace hone
