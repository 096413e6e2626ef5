#include "hone/kernels/convert/convert.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "hone/kernels/kernel_testing.h"

namespace hone {
namespace {

// Floats of every exponent, ties among them, and the special ones.
std::vector<float> many_floats(size_t n, std::mt19937& rng) {
  std::vector<float> values;
  for (size_t i = 0; i < n; ++i) {
    auto bits = static_cast<uint32_t>(rng());
    if (i % 3 == 1) bits &= 0xfffff000u;                        // Ties of half precision.
    if (i % 3 == 2) bits &= 0xffff8000u;                        // Ties of bfloat16.
    if (i % 2 == 0) bits = (bits & 0x87ffffffu) | 0x38000000u;  // In the range of half precision.
    values.push_back(std::bit_cast<float>(bits));
  }
  return values;
}

template <class To>
bool same(To a, To b) {
  return std::memcmp(&a, &b, sizeof(To)) == 0 ||
         (std::isnan(static_cast<float>(a)) && std::isnan(static_cast<float>(b)));
}

template <class From, class To>
void check(Convert<From, To> kernel, Convert<From, To> reference, const std::vector<From>& x) {
  std::vector<To> expected(x.size()), actual(x.size());
  reference(x.size(), x.data(), expected.data());
  kernel(x.size(), x.data(), actual.data());
  for (size_t i = 0; i < x.size(); ++i) {
    ASSERT_TRUE(same(actual[i], expected[i])) << "element " << i << ": " << float{x[i]};
  }
}

template <class To>
void check_narrow(Convert<float, To> kernel, Convert<float, To> reference) {
  std::mt19937 rng(1);
  for (size_t n = 0; n <= 70; ++n) check(kernel, reference, many_floats(n, rng));
  check(kernel, reference, many_floats(200000, rng));
}

// Every one of the 16-bit numbers, and every length.
template <class From>
void check_wide(Convert<From, float> kernel, Convert<From, float> reference) {
  std::vector<From> x(65536);
  for (size_t i = 0; i < x.size(); ++i) x[i].bits = static_cast<uint16_t>(i);
  check(kernel, reference, x);
  for (size_t n = 0; n <= 70; ++n) check(kernel, reference, std::vector<From>(n, From(1.5f)));
}

using F32ToF16 = Convert<float, Half>;
using F16ToF32 = Convert<Half, float>;
using F32ToBF16 = Convert<float, BFloat16>;
using BF16ToF32 = Convert<BFloat16, float>;
HONE_VARIANT_TEST(ConvertF32F16Test, F32ToF16, convert_f32_f16_variants);
HONE_VARIANT_TEST(ConvertF16F32Test, F16ToF32, convert_f16_f32_variants);
HONE_VARIANT_TEST(ConvertF32BF16Test, F32ToBF16, convert_f32_bf16_variants);
HONE_VARIANT_TEST(ConvertBF16F32Test, BF16ToF32, convert_bf16_f32_variants);

TEST_P(ConvertF32F16Test, IsExact) {
  check_narrow(GetParam().run, convert_f32_f16_variants().back().run);
}
TEST_P(ConvertF32BF16Test, IsExact) {
  check_narrow(GetParam().run, convert_f32_bf16_variants().back().run);
}
TEST_P(ConvertF16F32Test, IsExact) {
  check_wide(GetParam().run, convert_f16_f32_variants().back().run);
}
TEST_P(ConvertBF16F32Test, IsExact) {
  check_wide(GetParam().run, convert_bf16_f32_variants().back().run);
}

}  // namespace
}  // namespace hone
