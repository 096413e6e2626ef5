#include "hone/tensor/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hone {
namespace {

bool same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

void compare_strings(const Tensor& actual, const Tensor& expected, Difference& result) {
  const auto a = actual.data<std::string>();
  const auto e = expected.data<std::string>();
  for (size_t i = 0; i < a.size(); ++i) result.different += a[i] == e[i] ? 0 : 1;
}

void compare_numbers(const Tensor& actual, const Tensor& expected, Difference& result) {
  const std::vector<double> a = to_doubles(actual), e = to_doubles(expected);
  double signal = 0, noise = 0, dot = 0, norm = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::isfinite(e[i])) result.max_magnitude = std::max(result.max_magnitude, std::fabs(e[i]));
    signal += e[i] * e[i];
    norm += a[i] * a[i];
    dot += a[i] * e[i];
    if (same(a[i], e[i])) continue;
    ++result.different;
    const double error = std::fabs(a[i] - e[i]);
    noise += error * error;
    result.max_abs = std::isnan(error) ? std::numeric_limits<double>::infinity()
                                       : std::max(result.max_abs, error);
  }
  result.sqnr_db =
      noise == 0 ? std::numeric_limits<double>::infinity() : 10 * std::log10(signal / noise);
  if (signal > 0 && norm > 0) result.cosine = dot / std::sqrt(signal * norm);
}

}  // namespace

Difference compare(const Tensor& actual, const Tensor& expected) {
  Difference result;
  result.elements = expected.elements();
  if (actual.dtype() != expected.dtype() || actual.shape() != expected.shape()) {
    result.what = str("is ", actual.type(), ", expected ", expected.type());
    return result;
  }
  result.comparable = true;
  if (actual.dtype() == DType::String) {
    compare_strings(actual, expected, result);
  } else {
    compare_numbers(actual, expected, result);
  }
  if (result.different > 0) {
    result.what = str(result.different, " of ", result.elements, " elements differ, by up to ",
                      result.max_abs);
  }
  return result;
}

bool all_close(const Tensor& actual, const Tensor& expected, double relative, double absolute) {
  if (actual.dtype() != expected.dtype() || actual.shape() != expected.shape()) return false;
  const std::vector<double> a = to_doubles(actual), e = to_doubles(expected);
  for (size_t i = 0; i < a.size(); ++i) {
    if (same(a[i], e[i])) continue;
    if (!(std::fabs(a[i] - e[i]) <= absolute + relative * std::fabs(e[i]))) return false;
  }
  return true;
}

}  // namespace hone
