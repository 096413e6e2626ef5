#include "hone/tensor/small_float.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hone {
namespace {

// `value` scaled so that one unit in the last place of the target is 1, then rounded to even.
double round_even(double value) {
  return std::nearbyint(value);  // The default rounding mode is to nearest, ties to even.
}

}  // namespace

float f16_to_f32(uint16_t bits) {
  const uint32_t sign = uint32_t{bits} >> 15 << 31;
  const uint32_t exponent = (bits >> 10) & 0x1f;
  const uint32_t mantissa = bits & 0x3ff;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | mantissa << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
  const float subnormal = static_cast<float>(mantissa) * 0x1p-24f;
  return sign != 0 ? -subnormal : subnormal;
}

uint16_t f64_to_f16(double value) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return sign | 0x7e00;
  const double magnitude = std::fabs(value);
  // 65520 is halfway between the largest float16, 65504, and the next step.
  if (magnitude >= 65520.0) return sign | 0x7c00;
  if (magnitude <
      0x1p-14) {  // Subnormal: units of 2^-24; rounding up to 1024 gives the smallest normal.
    return static_cast<uint16_t>(sign | static_cast<uint16_t>(round_even(magnitude * 0x1p24)));
  }
  int exponent = 0;
  std::frexp(magnitude, &exponent);  // magnitude in [2^(exponent-1), 2^exponent)
  const double units = round_even(std::ldexp(magnitude, 11 - exponent));  // In [1024, 2048].
  // A carry to 2048 moves into the exponent by itself.
  return static_cast<uint16_t>(sign | (((exponent + 13) << 10) + static_cast<int>(units)));
}

uint16_t f32_to_f16(float value) {
  return f64_to_f16(static_cast<double>(value));
}

uint16_t f32_to_bf16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return static_cast<uint16_t>(bits >> 16 | 0x40);
  const uint32_t to_even = 0x7fff + (bits >> 16 & 1);
  return static_cast<uint16_t>((bits + to_even) >> 16);
}

float f8_to_f32(uint8_t bits, const Float8Format& format) {
  const bool negative = (bits & 0x80) != 0;
  const int mantissa_count = 1 << format.mantissa_bits;
  const int exponent = (bits & 0x7f) >> format.mantissa_bits;
  const int mantissa = bits & (mantissa_count - 1);
  const int top = (1 << format.exponent_bits) - 1;
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  if (format.fnuz) {
    if (bits == 0x80) return kNan;
  } else if (format.infinities) {
    if (exponent == top) {
      if (mantissa != 0) return kNan;
      return negative ? -std::numeric_limits<float>::infinity()
                      : std::numeric_limits<float>::infinity();
    }
  } else if ((bits & 0x7f) == 0x7f) {
    return kNan;
  }
  const int shift = (exponent == 0 ? 1 : exponent) - format.bias - format.mantissa_bits;
  const int units = exponent == 0 ? mantissa : mantissa_count + mantissa;
  const float magnitude = std::ldexp(static_cast<float>(units), shift);
  return negative ? -magnitude : magnitude;
}

uint8_t f32_to_f8(float value, const Float8Format& format, bool saturate) {
  const int sign = std::signbit(value) ? 0x80 : 0;
  const int nan = format.fnuz ? 0x80 : (sign | 0x7f);
  const int infinity = ((1 << format.exponent_bits) - 1) << format.mantissa_bits;
  const int largest = format.fnuz ? 0x7f : format.infinities ? infinity - 1 : 0x7e;
  const int beyond = format.infinities ? (sign | infinity) : nan;
  if (std::isnan(value)) return static_cast<uint8_t>(nan);
  if (std::isinf(value)) return static_cast<uint8_t>(saturate ? (sign | largest) : beyond);

  const double magnitude = std::fabs(static_cast<double>(value));
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  const int lowest = 1 - format.bias;  // The exponent of the smallest normal number.
  const int scale = std::max(exponent - 1, lowest) - format.mantissa_bits;
  const double units = round_even(std::ldexp(magnitude, -scale));
  const int mantissa_count = 1 << format.mantissa_bits;
  // As in float16, the code of a number is linear in its units, so a carry needs no special case.
  const double code =
      units < mantissa_count
          ? units
          : units - mantissa_count + (scale + format.mantissa_bits + format.bias) * mantissa_count;
  if (code > largest) return static_cast<uint8_t>(saturate ? (sign | largest) : beyond);
  if (format.fnuz && code == 0) return 0;
  return static_cast<uint8_t>(sign | static_cast<int>(code));
}

float f4_to_f32(uint8_t bits) {
  constexpr float kMagnitudes[] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
  const float magnitude = kMagnitudes[bits & 7];
  return (bits & 8) != 0 ? -magnitude : magnitude;
}

uint8_t f32_to_f4(float value) {
  if (std::isnan(value)) return 7;
  const float magnitude = std::fabs(value);
  // The middles between neighbours; one belongs to the neighbour of even bits.
  constexpr float kMiddles[] = {0.25f, 0.75f, 1.25f, 1.75f, 2.5f, 3.5f, 5};
  uint8_t bits = 0;
  while (bits < 7 &&
         (magnitude > kMiddles[bits] || (magnitude == kMiddles[bits] && bits % 2 == 1))) {
    ++bits;
  }
  return static_cast<uint8_t>(bits | (std::signbit(value) ? 8 : 0));
}

}  // namespace hone
