#include "hone/quantize/recover/round_weights.h"

#include <cstddef>

namespace hone {

RoundingResult round_weights(std::span<const float> products, float ridge, int max_sweeps,
                             const WeightSteps& weights) {
  const auto& [drift, gradient, steps] = weights;
  const size_t n = steps.size();
  RoundingResult result;
  for (int sweep = 0; sweep < max_sweeps; ++sweep) {
    int64_t taken = 0;
    for (size_t i = 0; i < n; ++i) {
      const float step = steps[i];
      const float* row = &products[i * n];
      const float slope = 2 * (gradient[i] + ridge * drift[i]);
      const float change = step * (slope + step * (row[i] + ridge));
      if (!(change < 0)) continue;
      result.gain -= double{change};
      ++taken;
      drift[i] += step;
      steps[i] = -step;
      for (size_t j = 0; j < n; ++j) gradient[j] += step * row[j];
    }
    result.steps_taken += taken;
    if (taken == 0) break;
  }
  return result;
}

}  // namespace hone
