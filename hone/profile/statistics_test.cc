#include "hone/profile/statistics.h"

#include <gtest/gtest.h>

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

// Of 400 sets of samples with a known median, the interval holds it in about 95 %.
TEST(Statistics, IntervalHoldsTheMedianAsOftenAsItSays) {
  std::mt19937 random(1);
  std::exponential_distribution<double> draw(1);
  int held = 0;
  for (int set = 0; set < 400; ++set) {
    std::vector<double> samples(60);
    for (double& sample : samples) sample = draw(random);
    const Interval interval = median_interval(samples);
    held += interval.low <= std::log(2) && std::log(2) <= interval.high;
  }
  EXPECT_GE(held, 372);
  EXPECT_LE(held, 396);
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
