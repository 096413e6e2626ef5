#include "hone/audio/fft.h"

#include <bit>
#include <numbers>
#include <utility>

#include "hone/base/check.h"

namespace hone {
namespace {

// Puts element k where k's bits, read backwards, say: the order that the butterflies start from.
void reverse_bits(std::span<std::complex<double>> x) {
  for (size_t i = 1, j = 0; i < x.size(); ++i) {
    size_t bit = x.size() / 2;
    for (; j & bit; bit /= 2) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
}

}  // namespace

void fft(std::span<std::complex<double>> x) {
  HONE_CHECK(std::has_single_bit(x.size()), "fft of ", x.size(), " points");
  reverse_bits(x);
  for (size_t half = 1; half < x.size(); half *= 2) {
    const double step = -std::numbers::pi / static_cast<double>(half);
    for (size_t k = 0; k < half; ++k) {
      const std::complex<double> turn = std::polar(1.0, step * static_cast<double>(k));
      for (size_t i = k; i < x.size(); i += 2 * half) {
        const std::complex<double> odd = turn * x[i + half];
        x[i + half] = x[i] - odd;
        x[i] += odd;
      }
    }
  }
}

}  // namespace hone
