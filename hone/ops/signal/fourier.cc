#include "hone/ops/signal/fourier.h"

#include <numbers>

namespace hone {
namespace {

using Complex = std::complex<double>;

size_t smallest_factor(size_t n) {
  for (size_t factor = 2; factor * factor <= n; ++factor) {
    if (n % factor == 0) return factor;
  }
  return n;
}

// Cooley and Tukey: with n = p * m, p transforms of every p-th element are joined. `roots` are the
// powers of the n-th root of unity of the outermost transform, `stride` steps of which make one
// here.
void transform(const Complex* x, size_t step, size_t n, const std::vector<Complex>& roots,
               size_t stride, Complex* y) {
  if (n == 1) {
    y[0] = x[0];
    return;
  }
  const size_t p = smallest_factor(n);
  const size_t m = n / p;
  std::vector<Complex> parts(n);
  for (size_t q = 0; q < p; ++q) {
    if (m == 1) {
      parts[q] = x[q * step];
    } else {
      transform(x + q * step, step * p, m, roots, stride * p, parts.data() + q * m);
    }
  }
  for (size_t k = 0; k < n; ++k) {
    Complex sum = 0;
    for (size_t q = 0; q < p; ++q) sum += parts[q * m + k % m] * roots[q * k % n * stride];
    y[k] = sum;
  }
}

// exp(-2 pi i k / n), exact at quarter turns, so that what should vanish does.
Complex root_of_unity(size_t k, size_t n) {
  constexpr Complex kQuarters[] = {{1, 0}, {0, -1}, {-1, 0}, {0, 1}};
  if (4 * k % n == 0) return kQuarters[4 * k / n];
  return std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
}

}  // namespace

std::vector<Complex> fourier(const std::vector<Complex>& x, bool inverse) {
  const size_t n = x.size();
  std::vector<Complex> roots(n), y(n);
  for (size_t i = 0; i < n; ++i) roots[i] = root_of_unity(i, n);
  if (inverse) {
    for (Complex& root : roots) root = std::conj(root);
  }
  transform(x.data(), 1, n, roots, 1, y.data());
  return y;
}

}  // namespace hone
