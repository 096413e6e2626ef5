// The float types that C++20 does not have: float16, bfloat16, the four 8-bit floats of ONNX and
// the 4-bit one. Each is storage with conversions; arithmetic is done in float and rounded once.
#pragma once

#include <bit>
#include <cstdint>

namespace hone {

float f16_to_f32(uint16_t bits);
uint16_t f32_to_f16(float value);  // Nearest, ties to even; overflow to infinity.
uint16_t f64_to_f16(double value);
uint16_t f32_to_bf16(float value);  // Nearest, ties to even.

struct Half {
  uint16_t bits = 0;
  Half() = default;
  explicit Half(float value) : bits(f32_to_f16(value)) {}
  explicit Half(double value) : bits(f64_to_f16(value)) {}
  operator float() const { return f16_to_f32(bits); }
};

struct BFloat16 {
  uint16_t bits = 0;
  BFloat16() = default;
  explicit BFloat16(float value) : bits(f32_to_bf16(value)) {}
  explicit BFloat16(double value) : BFloat16(static_cast<float>(value)) {}
  operator float() const { return std::bit_cast<float>(uint32_t{bits} << 16); }
};

// An 8-bit float format. `fnuz`: no infinities, no negative zero, one NaN (0x80).
struct Float8Format {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  bool infinities;
  bool fnuz;
};
inline constexpr Float8Format kE4M3FN{4, 3, 7, false, false};
inline constexpr Float8Format kE4M3FNUZ{4, 3, 8, false, true};
inline constexpr Float8Format kE5M2{5, 2, 15, true, false};
inline constexpr Float8Format kE5M2FNUZ{5, 2, 16, false, true};

float f8_to_f32(uint8_t bits, const Float8Format& format);

// Nearest, ties to even. Out of range: the largest finite value when `saturate`, else infinity
// where the format has one, else NaN.
uint8_t f32_to_f8(float value, const Float8Format& format, bool saturate);

template <const Float8Format& kFormat>
struct Float8 {
  uint8_t bits = 0;
  Float8() = default;
  explicit Float8(float value) : bits(f32_to_f8(value, kFormat, true)) {}
  operator float() const { return f8_to_f32(bits, kFormat); }
};
using Float8E4M3FN = Float8<kE4M3FN>;
using Float8E4M3FNUZ = Float8<kE4M3FNUZ>;
using Float8E5M2 = Float8<kE5M2>;
using Float8E5M2FNUZ = Float8<kE5M2FNUZ>;

// float4e2m1, in the low four bits: 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives.
float f4_to_f32(uint8_t bits);
// Nearest, ties to even; 6 beyond it and for NaN.
uint8_t f32_to_f4(float value);

}  // namespace hone
