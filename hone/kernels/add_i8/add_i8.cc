#include "hone/kernels/add_i8/add_i8.h"

#include "hone/kernels/hwy_targets.h"

namespace hone {

template <class T>
void add_i8_ref(const AddI8Args<T>& args);
void add_i8_hwy(const AddI8Args<int8_t>& args);
void add_u8_hwy(const AddI8Args<uint8_t>& args);
#if defined(__aarch64__)
void add_i8_neon(const AddI8Args<int8_t>& args);
void add_u8_neon(const AddI8Args<uint8_t>& args);
#elif defined(__x86_64__)
void add_i8_avx512_vbmi(const AddI8Args<int8_t>& args);
void add_u8_avx512_vbmi(const AddI8Args<uint8_t>& args);
#endif

std::span<const KernelVariant<AddI8<int8_t>>> add_i8_variants() {
  static constexpr KernelVariant<AddI8<int8_t>> kVariants[] = {
#if defined(__aarch64__)
    {"neon", kNeon, add_i8_neon},
#elif defined(__x86_64__)
    {"avx512_vbmi", kAvx512 | kAvx512Vnni | kAvx512Vbmi, add_i8_avx512_vbmi},
#endif
    {"hwy", kHwy, add_i8_hwy},
    {"ref", kNoFeature, add_i8_ref<int8_t>},
  };
  return kVariants;
}

std::span<const KernelVariant<AddI8<uint8_t>>> add_u8_variants() {
  static constexpr KernelVariant<AddI8<uint8_t>> kVariants[] = {
#if defined(__aarch64__)
    {"neon", kNeon, add_u8_neon},
#elif defined(__x86_64__)
    {"avx512_vbmi", kAvx512 | kAvx512Vnni | kAvx512Vbmi, add_u8_avx512_vbmi},
#endif
    {"hwy", kHwy, add_u8_hwy},
    {"ref", kNoFeature, add_i8_ref<uint8_t>},
  };
  return kVariants;
}

}  // namespace hone
