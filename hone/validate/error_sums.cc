#include "hone/validate/error_sums.h"

#include <algorithm>
#include <cmath>

#include "hone/base/infinity.h"

namespace hone {

void ErrorSums::add(const std::vector<double>& actual, const std::vector<double>& expected) {
  for (size_t i = 0; i < actual.size(); ++i) {
    const double a = actual[i], e = expected[i];
    // The same infinity, which masks are made of, or both no number: neither signal nor noise.
    if (!std::isfinite(e) && (a == e || (std::isnan(a) && std::isnan(e)))) continue;
    const double error = std::abs(a - e);
    signal += e * e;
    noise += error * error;
    dot += a * e;
    norm += a * a;
    max_abs = std::isnan(error) ? kInfinity<double> : std::max(max_abs, error);
  }
  elements += static_cast<int64_t>(actual.size());
}

void ErrorSums::add(const ErrorSums& other) {
  signal += other.signal;
  noise += other.noise;
  dot += other.dot;
  norm += other.norm;
  max_abs = std::max(max_abs, other.max_abs);
  elements += other.elements;
}

double ErrorSums::sqnr_db() const {
  if (noise == 0) return kInfinity<double>;
  // NaN, which a broken layer can give, is no signal at all.
  return signal > 0 && noise < kInfinity<double> ? 10 * std::log10(signal / noise)
                                                 : -kInfinity<double>;
}

double ErrorSums::cosine() const {
  if (signal == 0 && norm == 0) return 1;
  return signal > 0 && norm > 0 ? dot / std::sqrt(signal * norm) : 0;
}

}  // namespace hone
