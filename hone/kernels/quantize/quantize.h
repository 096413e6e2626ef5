// Between floats and quantized bytes, one scale for all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hone/kernels/variant.h"

namespace hone {

struct QuantizeI8 {
  float scale;         // Positive.
  int32_t zero_point;  // Within the type of the bytes.
  bool ties_to_even;   // As ONNX rounds; otherwise away from zero, as TFLite does.
  int32_t low;         // Within the type of the bytes.
  int32_t high;
};

// y[i] = clamp(round(x[i] / scale) + zero_point) for i < n; NaN gives the zero point.
template <class T>
using Quantize = void (*)(const QuantizeI8& args, size_t n, const float* x, T* y);
// y[i] = (x[i] - zero_point) * scale
template <class T>
using Dequantize = void (*)(float scale, int32_t zero_point, size_t n, const T* x, float* y);

// Fastest first; ends in "ref". All variants give the same bits.
std::span<const KernelVariant<Quantize<int8_t>>> quantize_i8_variants();
std::span<const KernelVariant<Quantize<uint8_t>>> quantize_u8_variants();
std::span<const KernelVariant<Dequantize<int8_t>>> dequantize_i8_variants();
std::span<const KernelVariant<Dequantize<uint8_t>>> dequantize_u8_variants();

}  // namespace hone
