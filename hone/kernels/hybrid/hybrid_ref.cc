#include <algorithm>
#include <cmath>

#include "hone/kernels/hybrid/hybrid.h"

namespace hone {
namespace {

void range(size_t n, const float* x, float* low, float* high) {
  *low = 0;
  *high = 0;
  for (size_t i = 0; i < n; ++i) {
    *low = std::min(*low, x[i]);
    *high = std::max(*high, x[i]);
  }
}

int32_t byte_of(const HybridSteps& p, float x) {
  const float steps = std::round(static_cast<float>(p.zero_point) + x * p.inverse);
  return static_cast<int32_t>(std::isnan(steps) ? 0.0f : std::clamp(steps, p.low, 127.0f));
}

void to_bytes(const HybridSteps& p, size_t n, const float* x, int8_t* y) {
  for (size_t i = 0; i < n; ++i) y[i] = static_cast<int8_t>(byte_of(p, x[i]));
}

void to_whole_floats(const HybridSteps& p, size_t n, const float* x, float* y) {
  for (size_t i = 0; i < n; ++i) y[i] = static_cast<float>(byte_of(p, x[i]) - p.zero_point);
}

float scaled(const HybridScales& p, size_t column, float sum) {
  return sum * (p.row_scale * p.weight_scales[column]) + p.bias[column];
}

void scale(const HybridScales& p, size_t n, const int32_t* sums, float* y) {
  for (size_t i = 0; i < n; ++i) {
    const uint32_t offset =
        static_cast<uint32_t>(p.zero_point) * static_cast<uint32_t>(p.weight_sums[i]);
    const auto sum = static_cast<int32_t>(static_cast<uint32_t>(sums[i]) - offset);
    y[i] = scaled(p, i, static_cast<float>(sum));
  }
}

void scale_whole_floats(const HybridScales& p, size_t n, const float* sums, float* y) {
  for (size_t i = 0; i < n; ++i) y[i] = scaled(p, i, sums[i]);
}

}  // namespace

constinit extern const HybridKernel hybrid_ref = {
    .range = range,
    .to_bytes = to_bytes,
    .to_whole_floats = to_whole_floats,
    .scale = scale,
    .scale_whole_floats = scale_whole_floats,
};

}  // namespace hone
