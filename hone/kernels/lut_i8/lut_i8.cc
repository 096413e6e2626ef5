#include "hone/kernels/lut_i8/lut_i8.h"

#include <algorithm>

#include "hone/kernels/hwy_targets.h"

namespace hone {

void lut_i8_ref(size_t n, const uint8_t* table, const uint8_t* x, uint8_t* y);
void lut_i8_hwy(size_t n, const uint8_t* table, const uint8_t* x, uint8_t* y);
#if defined(__aarch64__)
void lut_i8_neon(size_t n, const uint8_t* table, const uint8_t* x, uint8_t* y);
#elif defined(__x86_64__)
void lut_i8_avx512_vbmi(size_t n, const uint8_t* table, const uint8_t* x, uint8_t* y);
#endif

std::span<const KernelVariant<LutI8>> lut_i8_variants() {
  static constexpr KernelVariant<LutI8> kVariants[] = {
#if defined(__aarch64__)
    {"neon", kNeon, lut_i8_neon},
#elif defined(__x86_64__)
    {"avx512_vbmi", kAvx512 | kAvx512Vnni | kAvx512Vbmi, lut_i8_avx512_vbmi},
#endif
    {"hwy", kHwy, lut_i8_hwy},
    {"ref", kNoFeature, lut_i8_ref},
  };
  return kVariants;
}

void requantize_i8_table(const RequantizeI8& p, uint8_t (&table)[256]) {
  for (int32_t i = 0; i < 256; ++i) {
    const int32_t x = p.x_signed && i > 127 ? i - 256 : i;
    const int64_t y = int64_t{scale_by(x - p.x_zero, p.factor, p.rounding)} + p.y_zero;
    table[i] = static_cast<uint8_t>(std::clamp<int64_t>(y, p.low, p.high));
  }
}

}  // namespace hone
