// Which way to round the weights of one output so that its squared error is least.
#pragma once

#include <cstdint>
#include <span>

namespace hone {

// The mean squared error of an output with weights w over rows x is, means taken out,
//   e(w) = w' A w - 2 c' w + const,
// with A the products of the inputs and c those with the wanted output. Each weight has one other
// value, `step` away from where it is (0: none). Starting from `gradient` = A w - c, steps are
// taken one by one, each only when it makes e smaller: by step * (2 gradient_i + step * A_ii).
// After one, the weight's step leads back and the gradient follows, which costs one row of A. Ends
// when a sweep over all weights takes no step, or after `max_sweeps`.
//
// `ridge` is added to A's diagonal, with `drift` = w - (weights before rounding): it holds weights
// near those where too few rows say anything about them.
struct WeightSteps {
  std::span<float> drift;
  std::span<float> gradient;
  std::span<float> steps;
};

struct RoundingResult {
  int64_t steps_taken = 0;
  double gain = 0;  // By how much e with the ridge has become smaller.
};

RoundingResult round_weights(std::span<const float> products, float ridge, int max_sweeps,
                             const WeightSteps& weights);

}  // namespace hone
