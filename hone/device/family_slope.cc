#include "hone/device/family_slope.h"

#include <algorithm>

namespace hone {
namespace {

// Of slopes: of all families alike, and of each by itself.
constexpr double kTogether = 0.5;
constexpr double kAlone = 0.05;

FamilyMatrix prior_precision() {
  FamilyMatrix covariance = diagonal(kAlone);
  FamilyWork ones = {};
  ones.fill(1);
  add_square(covariance, ones, kTogether);
  return inverse(covariance);
}

}  // namespace

void update_slope(std::span<const double> numbers, const FamilyMatrix& precision,
                  const SlopePrior& prior, std::vector<FamilyWork>& off, FamilyWork& slope) {
  static const FamilyMatrix kPull = prior_precision();
  const FamilyWork before = slope;
  FamilyWork sums = {};
  double squares = 0;
  for (size_t d = 0; d < numbers.size(); ++d) {
    for (size_t i = 0; i < kFamilyCount; ++i) {
      sums[i] += numbers[d] * (off[d][i] + before[i] * numbers[d]);
    }
    squares += numbers[d] * numbers[d];
  }
  FamilyWork told = product(precision, sums);
  const FamilyWork taken = product(kPull, prior.mean);
  for (size_t i = 0; i < kFamilyCount; ++i) told[i] += taken[i];
  slope = product(inverse(sum(scaled(precision, squares), kPull)), told);
  for (double& power : slope) power = std::min(power, prior.most);
  for (size_t d = 0; d < numbers.size(); ++d) {
    for (size_t i = 0; i < kFamilyCount; ++i) off[d][i] -= (slope[i] - before[i]) * numbers[d];
  }
}

}  // namespace hone
