#include "hone/kernels/mul_i8/mul_i8.h"

#include "hone/kernels/hwy_targets.h"

namespace hone {

template <class T>
void mul_i8_ref(const MulI8Args<T>& args);
void mul_i8_hwy(const MulI8Args<int8_t>& args);
void mul_u8_hwy(const MulI8Args<uint8_t>& args);
#if defined(__aarch64__)
void mul_i8_neon(const MulI8Args<int8_t>& args);
void mul_u8_neon(const MulI8Args<uint8_t>& args);
#elif defined(__x86_64__)
void mul_i8_avx512(const MulI8Args<int8_t>& args);
void mul_u8_avx512(const MulI8Args<uint8_t>& args);
#endif

std::span<const KernelVariant<MulI8<int8_t>>> mul_i8_variants() {
  static constexpr KernelVariant<MulI8<int8_t>> kVariants[] = {
#if defined(__aarch64__)
    {"neon", kNeon, mul_i8_neon},
#elif defined(__x86_64__)
    {"avx512", kAvx512, mul_i8_avx512},
#endif
    {"hwy", kHwy, mul_i8_hwy},
    {"ref", kNoFeature, mul_i8_ref<int8_t>},
  };
  return kVariants;
}

std::span<const KernelVariant<MulI8<uint8_t>>> mul_u8_variants() {
  static constexpr KernelVariant<MulI8<uint8_t>> kVariants[] = {
#if defined(__aarch64__)
    {"neon", kNeon, mul_u8_neon},
#elif defined(__x86_64__)
    {"avx512", kAvx512, mul_u8_avx512},
#endif
    {"hwy", kHwy, mul_u8_hwy},
    {"ref", kNoFeature, mul_i8_ref<uint8_t>},
  };
  return kVariants;
}

}  // namespace hone
