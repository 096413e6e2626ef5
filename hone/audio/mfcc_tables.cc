#include "hone/audio/mfcc_tables.h"

#include <cmath>
#include <numbers>

namespace hone {
namespace {

using std::numbers::pi;

// HTK's mel scale.
double mel(double hz) {
  return 1127 * std::log1p(hz / 700);
}

}  // namespace

std::vector<double> hann(int n) {
  std::vector<double> window;
  for (int i = 0; i < n; ++i) window.push_back(0.5 - 0.5 * std::cos(2 * pi * i / n));
  return window;
}

double band_position(const MfccOptions& options, double hz) {
  const double low = mel(options.lowest_hz);
  const double width = (mel(options.highest_hz) - low) / (options.bands + 1);
  return (mel(hz) - low) / width;
}

std::vector<double> cosines(const MfccOptions& options) {
  const double scale = std::sqrt(2.0 / options.bands);
  std::vector<double> rows;
  for (int k = 0; k < options.coefficients; ++k) {
    for (int band = 0; band < options.bands; ++band) {
      rows.push_back(scale * std::cos(pi * k * (band + 0.5) / options.bands));
    }
  }
  return rows;
}

}  // namespace hone
