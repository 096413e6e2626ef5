#include "hone/workbench/output_error.h"

#include <algorithm>
#include <cmath>

#include "hone/base/infinity.h"
#include "hone/validate/real_values.h"

namespace hone {
namespace {

bool has_numbers(const Item& item) {
  return item.is_tensor() && item.tensor.dtype() != DType::String;
}

struct Extent {
  double difference = 0;
  double magnitude = 0;
};

// A file of ONNX has no scale on an output: the same integers mean the same.
Tensor with_scales_of(const Tensor& expected, const Tensor& actual) {
  if (actual.dtype() != expected.dtype() || actual.type().quantized()) return actual;
  return actual.with_quantization(expected.type().quant);
}

// False when the two cannot be compared.
bool widen(Extent& extent, const Tensor& actual, const Tensor& expected) {
  if (actual.shape() != expected.shape()) return false;
  const std::vector<double> a = real_values(with_scales_of(expected, actual));
  const std::vector<double> b = real_values(expected);
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::isfinite(a[i]) != std::isfinite(b[i])) return false;
    if (!std::isfinite(a[i])) continue;
    extent.difference = std::max(extent.difference, std::abs(a[i] - b[i]));
    extent.magnitude = std::max(extent.magnitude, std::abs(b[i]));
  }
  return true;
}

}  // namespace

double output_error(const OutputSets& actual, const OutputSets& expected) {
  double largest = 0;
  for (size_t output = 0; output < expected[0].size(); ++output) {
    Extent extent;
    for (size_t set = 0; set < expected.size(); ++set) {
      if (!has_numbers(expected[set][output])) continue;
      if (!has_numbers(actual[set][output])) return kInfinity<double>;
      if (!widen(extent, actual[set][output].tensor, expected[set][output].tensor)) {
        return kInfinity<double>;
      }
    }
    if (extent.difference == 0) continue;
    largest = std::max(largest, extent.difference / std::max(extent.magnitude, 1e-30));
  }
  return largest;
}

}  // namespace hone
