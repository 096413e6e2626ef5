#include <algorithm>
#include <cmath>

#include "hone/kernels/quantize/quantize.h"

namespace hone {

template <class T>
void quantize_ref(const QuantizeI8& p, size_t n, const float* x, T* y) {
  for (size_t i = 0; i < n; ++i) {
    const float steps = x[i] / p.scale;
    float rounded = p.ties_to_even ? std::nearbyint(steps) : std::round(steps);
    // Beyond this nothing but the clamp can follow, whatever the zero point.
    rounded = std::isnan(rounded) ? 0.0f : std::clamp(rounded, -0x1p20f, 0x1p20f);
    y[i] = static_cast<T>(std::clamp(static_cast<int32_t>(rounded) + p.zero_point, p.low, p.high));
  }
}

template <class T>
void dequantize_ref(float scale, int32_t zero_point, size_t n, const T* x, float* y) {
  for (size_t i = 0; i < n; ++i) y[i] = scale * static_cast<float>(x[i] - zero_point);
}

template void quantize_ref(const QuantizeI8& args, size_t n, const float* x, int8_t* y);
template void quantize_ref(const QuantizeI8& args, size_t n, const float* x, uint8_t* y);
template void dequantize_ref(float scale, int32_t zero_point, size_t n, const int8_t* x, float* y);
template void dequantize_ref(float scale, int32_t zero_point, size_t n, const uint8_t* x, float* y);

}  // namespace hone
