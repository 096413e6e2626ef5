// The arithmetic of the kernels' sources, compiled for the host, beside the reference's.

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <random>

#include "hone/tensor/fixed_functions.h"
#include "hone/tensor/fixed_point.h"

// What the compiler for CUDA has by itself, and what prelude.cu has.
#define __device__
#define __forceinline__ inline
#define HONE_KERNEL_TYPES \
  using u32 = unsigned;   \
  using i64 = long long;

namespace rounds_twice {
HONE_KERNEL_TYPES
#define ROUNDING 0
#include "hone/targets/cuda/sources/integers.cu"
// Builds on it.
#include "hone/targets/cuda/sources/fixed_functions.cu"
#undef ROUNDING
}  // namespace rounds_twice
namespace rounds_once {
HONE_KERNEL_TYPES
#define ROUNDING 1
#include "hone/targets/cuda/sources/integers.cu"
#undef ROUNDING
}  // namespace rounds_once
namespace rounds_upward {
HONE_KERNEL_TYPES
#define ROUNDING 2
#include "hone/targets/cuda/sources/integers.cu"
#undef ROUNDING
}  // namespace rounds_upward
#undef HONE_KERNEL_TYPES
#undef __forceinline__
#undef __device__

namespace hone::cuda {
namespace {

constexpr int32_t kLeast = std::numeric_limits<int32_t>::min();
constexpr int32_t kMost = std::numeric_limits<int32_t>::max();

// Ends, what lies beside powers of two, and numbers of every size.
std::vector<int32_t> telling_numbers() {
  std::vector<int32_t> numbers = {kLeast, kLeast + 1, -1, 0, 1, kMost - 1, kMost};
  for (int bit = 1; bit < 31; ++bit) {
    for (const int32_t near : {-1, 0, 1}) {
      numbers.push_back((1 << bit) + near);
      numbers.push_back(-(1 << bit) + near);
    }
  }
  std::mt19937 random(3);
  for (int i = 0; i < 2000; ++i) {
    numbers.push_back(static_cast<int32_t>(random()) >> (random() % 32));
  }
  return numbers;
}

std::vector<FixedPoint> telling_factors() {
  std::vector<FixedPoint> factors = {{0, 0}};
  std::mt19937 random(5);
  for (int shift = -31; shift <= 30; ++shift) {
    factors.push_back({1 << 30, shift});
    factors.push_back({kMost, shift});
    factors.push_back({static_cast<int32_t>((1u << 30) | (random() >> 2)), shift});
    // Of means, whose divisor is part of the multiplier.
    factors.push_back({static_cast<int32_t>(random() >> 4), shift});
  }
  return factors;
}

using Scale = int (*)(int x, int multiplier, int shift);

void expect_same(Scale scale, Rounding rounding, bool down) {
  for (const FixedPoint factor : telling_factors()) {
    if (down && factor.shift >= 0) continue;
    for (const int32_t x : telling_numbers()) {
      ASSERT_EQ(scale(x, factor.multiplier, factor.shift), scale_by(x, factor, rounding))
          << x << " * " << factor.multiplier << " * 2^" << factor.shift << " - 31";
    }
  }
}

TEST(CudaIntegers, AreScaledByEveryRule) {
  expect_same(rounds_twice::scaled_by, Rounding::Double, false);
  expect_same(rounds_twice::scaled_down_by, Rounding::Double, true);
  expect_same(rounds_once::scaled_by, Rounding::Single, false);
  expect_same(rounds_once::scaled_down_by, Rounding::Single, true);
  expect_same(rounds_upward::scaled_by, Rounding::DoubleUpward, false);
  expect_same(rounds_upward::scaled_down_by, Rounding::DoubleUpward, true);
}

TEST(CudaIntegers, AreCutAsTheReferenceCuts) {
  for (const int32_t x : telling_numbers()) {
    for (const int zero : {-128, -3, 0, 7, 127}) {
      const int64_t sum = int64_t{x} + zero;
      ASSERT_EQ(rounds_once::placed(x, zero, -128, 127), std::clamp<int64_t>(sum, -128, 127)) << x;
      ASSERT_EQ(rounds_once::placed(x, zero, zero, 100), std::clamp<int64_t>(sum, zero, 100)) << x;
    }
  }
}

TEST(CudaIntegers, BecomeWholeStepsOfAScale) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(rounds_once::whole_steps(std::numeric_limits<float>::quiet_NaN()), 0);
  EXPECT_EQ(rounds_once::whole_steps(-7.0f), -7);
  EXPECT_GE(rounds_once::whole_steps(kInfinity), 1 << 20);
  EXPECT_LE(rounds_once::whole_steps(-kInfinity), -(1 << 20));
}

TEST(CudaIntegers, HaveTheReferencesSoftmax) {
  for (const int32_t x : telling_numbers()) {
    if (x < 0) continue;
    ASSERT_EQ(rounds_twice::one_over_one_plus(x), fixed_one_over_one_plus(x)) << x;
  }
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    const auto sum = static_cast<uint32_t>(random() >> random() % 20) | 1u;
    const auto exponential = static_cast<int32_t>(random() >> 1);
    const int headroom = std::countl_zero(sum);
    const int32_t reciprocal =
        fixed_one_over_one_plus(static_cast<int32_t>((sum << headroom) - (uint32_t{1} << 31)));
    for (const int bits : {8, 16}) {
      const int32_t expected =
          rounding_divide_by_pot(saturating_rounding_doubling_high_mul(reciprocal, exponential),
                                 12 - headroom + 31 - bits);
      ASSERT_EQ(rounds_twice::softmax_of(exponential, rounds_twice::softmax_scale(sum, bits)),
                expected)
          << sum << " " << exponential;
    }
  }
}

}  // namespace
}  // namespace hone::cuda
