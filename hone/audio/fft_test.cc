#include "hone/audio/fft.h"

#include <gtest/gtest.h>

#include <numbers>
#include <random>
#include <vector>

namespace hone {
namespace {

using Complex = std::complex<double>;

TEST(Fft, EqualsTheSumThatDefinesIt) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  for (size_t n = 1; n <= 256; n *= 2) {
    std::vector<Complex> x(n);
    for (Complex& value : x) value = {normal(random), normal(random)};
    std::vector<Complex> y = x;
    fft(y);
    for (size_t k = 0; k < n; ++k) {
      Complex sum = 0;
      for (size_t j = 0; j < n; ++j) {
        const double turns = static_cast<double>(j * k % n) / static_cast<double>(n);
        sum += x[j] * std::polar(1.0, -2 * std::numbers::pi * turns);
      }
      EXPECT_NEAR(std::abs(sum - y[k]), 0, 1e-11) << n << " " << k;
    }
  }
}

}  // namespace
}  // namespace hone
