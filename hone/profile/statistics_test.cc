#include "hone/profile/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace hone {
namespace {

TEST(Statistics, QuantilesInterpolate) {
  const std::vector<double> samples = {4, 1, 3, 2};
  EXPECT_DOUBLE_EQ(quantile(samples, 0), 1);
  EXPECT_DOUBLE_EQ(median(samples), 2.5);
  EXPECT_DOUBLE_EQ(quantile(samples, 1), 4);
  EXPECT_DOUBLE_EQ(median(std::vector<double>{7}), 7);
}

TEST(Statistics, CoefficientOfVariation) {
  EXPECT_DOUBLE_EQ(coefficient_of_variation(std::vector<double>{5, 5, 5}), 0);
  EXPECT_NEAR(coefficient_of_variation(std::vector<double>{9, 10, 11}), 0.1, 1e-12);
}

// How many of 400 series have an interval that holds the median.
template <class Draw>
int held_by(double truth, const Draw& draw) {
  std::mt19937 random(1);
  int held = 0;
  for (int set = 0; set < 400; ++set) {
    const Interval interval = median_interval(draw(random));
    held += interval.low <= truth && truth <= interval.high;
  }
  return held;
}

TEST(Statistics, IntervalHoldsTheMedianAsOftenAsItSays) {
  std::exponential_distribution<double> draw(1);
  const int held = held_by(std::log(2), [&](std::mt19937& random) {
    std::vector<double> samples(60);
    for (double& sample : samples) sample = draw(random);
    return samples;
  });
  EXPECT_GE(held, 372);
  EXPECT_LT(held, 400);
}

// Runs on a machine that others use: all of some ten in a row are slower or faster together. Of
// such series the order statistics alone hold the median in fewer than half.
TEST(Statistics, IntervalHoldsTheMedianOfRunsThatDriftTogether) {
  std::normal_distribution<double> noise(0, 1);
  const int held = held_by(100, [&](std::mt19937& random) {
    constexpr double kKept = 0.95;  // Of how the machine was in the run before.
    std::vector<double> samples(600);
    double slow = noise(random);
    for (double& sample : samples) {
      slow = kKept * slow + std::sqrt(1 - kKept * kKept) * noise(random);
      sample = 100 + slow + 0.5 * noise(random);
    }
    return samples;
  });
  EXPECT_GE(held, 340);
}

// A machine that becomes steadily slower has its median in the middle of the series.
TEST(Statistics, IntervalOfASteadyDriftIsWiderThanItsNoise) {
  std::vector<double> drifting, mixed;
  for (size_t i = 0; i < 100; ++i) drifting.push_back(100 + static_cast<double>(i));
  for (size_t i = 0; i < 100; ++i) mixed.push_back(drifting[37 * i % 100]);
  const Interval moved = median_interval(drifting), still = median_interval(mixed);
  EXPECT_GT(moved.high - moved.low, 1.5 * (still.high - still.low));
  EXPECT_LE(moved.low, 149.5);
  EXPECT_GE(moved.high, 149.5);
}

TEST(Statistics, BlocksFollowTheOrderOfTheRuns) {
  const std::vector<double> samples = {1, 1, 1, 2, 2, 2, 3, 3, 3};
  EXPECT_EQ(block_medians(samples, 3), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(block_medians(std::vector<double>{4, 5}, 8), (std::vector<double>{4, 5}));
}

TEST(Statistics, NamesWhatMovedTheRuns) {
  std::vector<double> steady(90, 10.0);
  EXPECT_TRUE(unsteady_reasons(steady).empty());
  std::vector<double> drifting = steady;
  for (size_t i = 45; i < 90; ++i) drifting[i] = 11;
  ASSERT_EQ(unsteady_reasons(drifting).size(), 1u);
  EXPECT_NE(unsteady_reasons(drifting)[0].find("last third"), std::string::npos);
  std::vector<double> shared = steady;
  for (size_t i = 0; i < 90; i += 3) shared[i] = 14;
  EXPECT_NE(unsteady_reasons(shared)[0].find("other work"), std::string::npos);
  EXPECT_FALSE(unsteady_reasons(std::vector<double>(3, 1.0)).empty());
}

}  // namespace
}  // namespace hone
