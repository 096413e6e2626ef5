// What the kernels' tests share. The tests run over a contract's table of variants, so that a new
// variant is tested without an edit.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "hone/kernels/variant.h"
#include "hone/tensor/small_float.h"

namespace hone {

// A parameterised fixture over a table of variants. It skips those this CPU cannot run.
template <class Kernel>
class VariantTest : public testing::TestWithParam<KernelVariant<Kernel>> {
 protected:
  void SetUp() override {
    if (!this->GetParam().runs_here()) GTEST_SKIP() << "this CPU lacks a feature it needs";
  }
};

inline constexpr auto kVariantName = [](const auto& test) { return std::string(test.param.name); };

// Uniform in [low, high), rounded to T.
template <class T>
std::vector<T> random_values(size_t n, float low, float high, std::mt19937& rng) {
  std::uniform_real_distribution<float> next(low, high);
  std::vector<T> values(n);
  for (T& v : values) v = T(next(rng));
  return values;
}

// Some of the values become NaN or infinite.
template <class T>
void plant_nans(std::vector<T>& values, std::mt19937& rng) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (size_t planted = 0; planted <= values.size() / 50; ++planted) {
    const float bad[] = {std::numeric_limits<float>::quiet_NaN(), kInfinity, -kInfinity};
    if (!values.empty()) values[rng() % values.size()] = T(bad[rng() % 3]);
  }
}

// Uniform over the integer type.
template <class T>
std::vector<T> random_integers(size_t n, std::mt19937& rng) {
  std::vector<T> values(n);
  for (T& v : values) v = static_cast<T>(rng());
  return values;
}

// Equal, or both NaN, or apart by at most relative * |expected| + absolute.
inline bool close(float actual, float expected, float relative, float absolute) {
  if (actual == expected || (std::isnan(actual) && std::isnan(expected))) return true;
  return std::abs(actual - expected) <= relative * std::abs(expected) + absolute;
}

}  // namespace hone

// Names a fixture over the table `variants()` of `Kernel` and runs it for every row.
#define HONE_VARIANT_TEST(Fixture, Kernel, variants) \
  class Fixture : public VariantTest<Kernel> {};     \
  INSTANTIATE_TEST_SUITE_P(Variants, Fixture, testing::ValuesIn(variants()), kVariantName)
