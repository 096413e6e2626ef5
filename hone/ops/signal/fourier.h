#pragma once

#include <complex>
#include <vector>

namespace hone {

// y[k] = sum_j x[j] exp(-2 pi i j k / n), or with +2 pi i when `inverse`, which does not divide by
// n. Any n from 1; n log n when n has small factors only.
std::vector<std::complex<double>> fourier(const std::vector<std::complex<double>>& x, bool inverse);

}  // namespace hone
