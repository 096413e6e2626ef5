#include "hone/kernels/pool/pool.h"

#include "hone/kernels/hwy_targets.h"
#include "hone/kernels/pool/pool_window.h"

namespace hone {

void pool_f32_hwy(const PoolArgs<float>& args, size_t first, size_t last);
void pool_f16_hwy(const PoolArgs<Half>& args, size_t first, size_t last);
void pool_i8_hwy(const PoolArgs<int8_t>& args, size_t first, size_t last);
void pool_u8_hwy(const PoolArgs<uint8_t>& args, size_t first, size_t last);
#if defined(__aarch64__)
void pool_f16_neon_fp16(const PoolArgs<Half>& args, size_t first, size_t last);
#endif

template <>
std::span<const KernelVariant<Pool<float>>> pool_variants() {
  static constexpr KernelVariant<Pool<float>> kVariants[] = {
      {"hwy", kHwy, pool_f32_hwy},
      {"ref", kNoFeature, pool_ref<float>},
  };
  return kVariants;
}

template <>
std::span<const KernelVariant<Pool<Half>>> pool_variants() {
  static constexpr KernelVariant<Pool<Half>> kVariants[] = {
#if defined(__aarch64__)
    {"neon_fp16", kFp16, pool_f16_neon_fp16},
#endif
    {"hwy", kHwyF16, pool_f16_hwy},
    {"ref", kNoFeature, pool_ref<Half>},
  };
  return kVariants;
}

template <>
std::span<const KernelVariant<Pool<int8_t>>> pool_variants() {
  static constexpr KernelVariant<Pool<int8_t>> kVariants[] = {
      {"hwy", kHwy, pool_i8_hwy},
      {"ref", kNoFeature, pool_ref<int8_t>},
  };
  return kVariants;
}

template <>
std::span<const KernelVariant<Pool<uint8_t>>> pool_variants() {
  static constexpr KernelVariant<Pool<uint8_t>> kVariants[] = {
      {"hwy", kHwy, pool_u8_hwy},
      {"ref", kNoFeature, pool_ref<uint8_t>},
  };
  return kVariants;
}

}  // namespace hone
