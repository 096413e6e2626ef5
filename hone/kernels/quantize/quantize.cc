#include "hone/kernels/quantize/quantize.h"

#include "hone/kernels/hwy_targets.h"

namespace hone {

template <class T>
void quantize_ref(const QuantizeI8& args, size_t n, const float* x, T* y);
template <class T>
void dequantize_ref(float scale, int32_t zero_point, size_t n, const T* x, float* y);
void quantize_i8_hwy(const QuantizeI8& args, size_t n, const float* x, int8_t* y);
void quantize_u8_hwy(const QuantizeI8& args, size_t n, const float* x, uint8_t* y);
#if defined(__x86_64__)
void quantize_i8_avx512(const QuantizeI8& args, size_t n, const float* x, int8_t* y);
void quantize_u8_avx512(const QuantizeI8& args, size_t n, const float* x, uint8_t* y);
#endif
void dequantize_i8_hwy(float scale, int32_t zero_point, size_t n, const int8_t* x, float* y);
void dequantize_u8_hwy(float scale, int32_t zero_point, size_t n, const uint8_t* x, float* y);

std::span<const KernelVariant<Quantize<int8_t>>> quantize_i8_variants() {
  static constexpr KernelVariant<Quantize<int8_t>> kVariants[] = {
#if defined(__x86_64__)
    {"avx512", kAvx512, quantize_i8_avx512},
#endif
    {"hwy", kHwy, quantize_i8_hwy},
    {"ref", kNoFeature, quantize_ref<int8_t>},
  };
  return kVariants;
}

std::span<const KernelVariant<Quantize<uint8_t>>> quantize_u8_variants() {
  static constexpr KernelVariant<Quantize<uint8_t>> kVariants[] = {
#if defined(__x86_64__)
    {"avx512", kAvx512, quantize_u8_avx512},
#endif
    {"hwy", kHwy, quantize_u8_hwy},
    {"ref", kNoFeature, quantize_ref<uint8_t>},
  };
  return kVariants;
}

std::span<const KernelVariant<Dequantize<int8_t>>> dequantize_i8_variants() {
  static constexpr KernelVariant<Dequantize<int8_t>> kVariants[] = {
      {"hwy", kHwy, dequantize_i8_hwy},
      {"ref", kNoFeature, dequantize_ref<int8_t>},
  };
  return kVariants;
}

std::span<const KernelVariant<Dequantize<uint8_t>>> dequantize_u8_variants() {
  static constexpr KernelVariant<Dequantize<uint8_t>> kVariants[] = {
      {"hwy", kHwy, dequantize_u8_hwy},
      {"ref", kNoFeature, dequantize_ref<uint8_t>},
  };
  return kVariants;
}

}  // namespace hone
