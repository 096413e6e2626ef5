#include "hone/kernels/quantize/quantize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "hone/kernels/kernel_testing.h"

namespace hone {
namespace {

template <class T>
void check_quantize(Quantize<T> kernel, Quantize<T> reference) {
  std::mt19937 rng(1);
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const bool ties_to_even : {false, true}) {
    for (size_t n = 0; n <= 300; ++n) {
      QuantizeI8 args{0.25f, random_integers<T>(1, rng)[0], ties_to_even,
                      std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
      if (n % 3 == 0) args.scale = 0.0371f;
      if (n % 4 == 0) args.low += 40, args.high -= 20;
      std::vector<float> x = random_values<float>(n, -50, 50, rng);
      for (float& v : x) {
        if (rng() % 2 == 0) v = std::nearbyint(v) / 8;  // Ties, where the scale is 1/4.
        if (rng() % 8 == 0) v = std::nextafter(v, v * 2);
        if (rng() % 20 == 0) v = std::numeric_limits<float>::quiet_NaN();
        if (rng() % 20 == 0) v = rng() % 2 == 0 ? kInfinity : -kInfinity;
        if (rng() % 20 == 0) v *= 1e9f;
      }
      std::vector<T> expected(n), actual(n);
      reference(args, n, x.data(), expected.data());
      kernel(args, n, x.data(), actual.data());
      ASSERT_EQ(actual, expected) << "n " << n;
    }
  }
}

// Quotients a few bits to either side of ties, by scales of all sizes.
template <class T>
void check_scales(Quantize<T> kernel, Quantize<T> reference) {
  std::mt19937 rng(3);
  for (int i = 0; i < 2000; ++i) {
    const int exponent =
        i % 4 == 0 ? static_cast<int>(rng() % 253) - 126 : -static_cast<int>(rng() % 16);
    const float scale = std::ldexp(1 + static_cast<float>(rng() % (1 << 23)) * 0x1p-23f, exponent);
    const QuantizeI8 args{scale, random_integers<T>(1, rng)[0], i % 2 == 0,
                          std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
    std::vector<float> x = random_values<float>(64, -260, 260, rng);
    for (float& v : x) {
      v = (std::nearbyint(v) + 0.5f) * scale;
      for (unsigned steps = rng() % 4; steps > 0; --steps)
        v = std::nextafter(v, rng() % 2 == 0 ? 0.0f : v * 2);
    }
    std::vector<T> expected(x.size()), actual(x.size());
    reference(args, x.size(), x.data(), expected.data());
    kernel(args, x.size(), x.data(), actual.data());
    ASSERT_EQ(actual, expected) << "scale " << scale;
  }
}

template <class T>
void check_dequantize(Dequantize<T> kernel, Dequantize<T> reference) {
  std::mt19937 rng(2);
  for (size_t n = 0; n <= 300; ++n) {
    const std::vector<T> x = random_integers<T>(n, rng);
    const int32_t zero = random_integers<T>(1, rng)[0];
    std::vector<float> expected(n), actual(n);
    reference(0.0173f, zero, n, x.data(), expected.data());
    kernel(0.0173f, zero, n, x.data(), actual.data());
    ASSERT_EQ(actual, expected) << "n " << n;
  }
}

HONE_VARIANT_TEST(QuantizeI8Test, Quantize<int8_t>, quantize_i8_variants);
HONE_VARIANT_TEST(QuantizeU8Test, Quantize<uint8_t>, quantize_u8_variants);
HONE_VARIANT_TEST(DequantizeI8Test, Dequantize<int8_t>, dequantize_i8_variants);
HONE_VARIANT_TEST(DequantizeU8Test, Dequantize<uint8_t>, dequantize_u8_variants);

TEST_P(QuantizeI8Test, IsExact) {
  check_quantize(GetParam().run, quantize_i8_variants().back().run);
}
TEST_P(QuantizeI8Test, IsExactOfEveryScale) {
  check_scales(GetParam().run, quantize_i8_variants().back().run);
}
TEST_P(QuantizeU8Test, IsExact) {
  check_quantize(GetParam().run, quantize_u8_variants().back().run);
}
TEST_P(QuantizeU8Test, IsExactOfEveryScale) {
  check_scales(GetParam().run, quantize_u8_variants().back().run);
}
TEST_P(DequantizeI8Test, IsExact) {
  check_dequantize(GetParam().run, dequantize_i8_variants().back().run);
}
TEST_P(DequantizeU8Test, IsExact) {
  check_dequantize(GetParam().run, dequantize_u8_variants().back().run);
}

}  // namespace
}  // namespace hone
