#include "hone/quantize/recover/round_weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace hone {
namespace {

constexpr size_t kWeights = 10;

struct Problem {
  std::vector<float> products;  // kWeights x kWeights, of correlated inputs.
  std::vector<float> weights;   // In units of the scale.
};

Problem random_problem(unsigned seed) {
  Problem problem{std::vector<float>(kWeights * kWeights), {}};
  std::mt19937 random(seed);
  std::normal_distribution<float> next(0, 1);
  for (int row = 0; row < 40; ++row) {
    const float common = 2 * next(random);
    std::vector<float> x;
    for (size_t i = 0; i < kWeights; ++i) x.push_back(common + next(random));
    for (size_t i = 0; i < kWeights * kWeights; ++i) {
      problem.products[i] += x[i / kWeights] * x[i % kWeights] / 40;
    }
  }
  for (size_t i = 0; i < kWeights; ++i) problem.weights.push_back(2 * next(random));
  return problem;
}

double error_of(const Problem& problem, const std::vector<float>& drift) {
  double error = 0;
  for (size_t i = 0; i < kWeights * kWeights; ++i) {
    error += double{problem.products[i]} * drift[i / kWeights] * drift[i % kWeights];
  }
  return error;
}

// Rounds by the bits of `up`.
std::vector<float> drift_of(const Problem& problem, unsigned up) {
  std::vector<float> drift;
  for (size_t i = 0; i < kWeights; ++i) {
    const float w = problem.weights[i];
    drift.push_back(std::floor(w) + static_cast<float>(up >> i & 1) - w);
  }
  return drift;
}

struct Rounded {
  std::vector<float> drift;
  RoundingResult result;
};

Rounded round_from_nearest(const Problem& problem, float ridge) {
  Rounded rounded;
  std::vector<float> gradient(kWeights), steps;
  for (const float w : problem.weights) {
    rounded.drift.push_back(std::round(w) - w);
    steps.push_back(rounded.drift.back() > 0 ? -1.0f : 1.0f);
  }
  for (size_t i = 0; i < kWeights * kWeights; ++i) {
    gradient[i / kWeights] += problem.products[i] * rounded.drift[i % kWeights];
  }
  rounded.result = round_weights(problem.products, ridge, 20, {rounded.drift, gradient, steps});
  return rounded;
}

TEST(RoundWeights, EndsWhereNoSingleStepHelpsAndNearTheBest) {
  double sum_nearest = 0;
  double sum_rounded = 0;
  double sum_best = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Problem problem = random_problem(seed);
    std::vector<float> nearest;
    for (const float w : problem.weights) nearest.push_back(std::round(w) - w);
    const Rounded rounded = round_from_nearest(problem, 0);
    const double error = error_of(problem, rounded.drift);
    EXPECT_NEAR(error_of(problem, nearest) - error, rounded.result.gain, 1e-4);
    double best = error;
    for (unsigned up = 0; up < 1u << kWeights; ++up) {
      best = std::min(best, error_of(problem, drift_of(problem, up)));
    }
    for (size_t i = 0; i < kWeights; ++i) {
      std::vector<float> other = rounded.drift;
      other[i] += other[i] > 0 ? -1.0f : 1.0f;
      EXPECT_GE(error_of(problem, other), error - 1e-4);
    }
    sum_nearest += error_of(problem, nearest);
    sum_rounded += error;
    sum_best += best;
  }
  EXPECT_LT(sum_rounded, 0.6 * sum_nearest);
  EXPECT_LT(sum_rounded, 2 * sum_best);
}

TEST(RoundWeights, ALargeRidgeKeepsTheNearest) {
  const Rounded rounded = round_from_nearest(random_problem(1), 1e6f);
  EXPECT_EQ(rounded.result.steps_taken, 0);
}

}  // namespace
}  // namespace hone
