#include "hone/validate/average_precision.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

constexpr Box kUnit = {0, 0, 1, 1};

TEST(Overlap, IsSharedAreaOverWholeArea) {
  EXPECT_DOUBLE_EQ(overlap(kUnit, kUnit), 1);
  EXPECT_DOUBLE_EQ(overlap(kUnit, {0.5, 0, 1.5, 1}), 1.0 / 3);
  EXPECT_DOUBLE_EQ(overlap(kUnit, {1, 0, 2, 1}), 0);
  EXPECT_DOUBLE_EQ(overlap({0, 0, 0, 0}, {0, 0, 0, 0}), 0);
}

TEST(Overlap, DoesNotDependOnWhichAxisComesFirst) {
  const Box a = {0, 1, 3, 5}, b = {2, 2, 6, 4};
  const Box a_turned = {1, 0, 5, 3}, b_turned = {2, 2, 4, 6};
  EXPECT_DOUBLE_EQ(overlap(a, b), overlap(a_turned, b_turned));
}

TEST(AveragePrecision, OfWhatIsAllRightIsOne) {
  EXPECT_DOUBLE_EQ(mean_average_precision({{0, 3, 0.9, kUnit}}, {{0, 3, kUnit}}, 0.5), 1);
}

TEST(AveragePrecision, IsZeroWhereNothingIsFoundOrWanted) {
  EXPECT_DOUBLE_EQ(mean_average_precision({}, {{0, 3, kUnit}}, 0.5), 0);
  EXPECT_DOUBLE_EQ(mean_average_precision({{0, 3, 0.9, kUnit}}, {}, 0.5), 0);
  EXPECT_DOUBLE_EQ(mean_average_precision({{0, 2, 0.9, kUnit}}, {{0, 3, kUnit}}, 0.5), 0);
  EXPECT_DOUBLE_EQ(mean_average_precision({{1, 3, 0.9, kUnit}}, {{0, 3, kUnit}}, 0.5), 0);
}

// Right, wrong, right, of two wanted: precision 1, 1/2, 2/3 at recall 1/2, 1/2, 1. Made
// monotonous, recalls 0 .. 0.50 have precision 1 (51 of them) and 0.51 .. 1 have 2/3 (50).
TEST(AveragePrecision, IsTheMeanOverHundredAndOneRecalls) {
  const Box far = {10, 10, 11, 11}, other = {5, 5, 6, 6};
  const std::vector<Detection> found = {{0, 1, 0.7, other}, {0, 1, 0.9, kUnit}, {0, 1, 0.8, far}};
  const std::vector<WantedBox> wanted = {{0, 1, kUnit}, {0, 1, other}};
  EXPECT_NEAR(mean_average_precision(found, wanted, 0.5), (51 + 50 * 2.0 / 3) / 101, 1e-12);
}

TEST(AveragePrecision, CountsAWantedBoxOnce) {
  const std::vector<Detection> found = {{0, 1, 0.9, kUnit}, {0, 1, 0.8, kUnit}};
  // The second is wrong, but comes after everything wanted was found.
  EXPECT_DOUBLE_EQ(mean_average_precision(found, {{0, 1, kUnit}}, 0.5), 1);
  const std::vector<WantedBox> two = {{0, 1, kUnit}, {1, 1, kUnit}};
  EXPECT_DOUBLE_EQ(mean_average_precision(found, two, 0.5), 51.0 / 101);
}

// Overlap 0.6: right at 0.5 and 0.6, wrong from there on.
TEST(AveragePrecision, FallsWithTheOverlapThatIsAskedFor) {
  const std::vector<Detection> found = {{0, 1, 0.9, {0, 0, 0.6, 1}}};
  const std::vector<WantedBox> wanted = {{0, 1, kUnit}};
  EXPECT_DOUBLE_EQ(mean_average_precision(found, wanted, 0.59), 1);
  EXPECT_DOUBLE_EQ(mean_average_precision(found, wanted, 0.61), 0);
}

TEST(AveragePrecision, IsTheMeanOverTheClassesThatAreWanted) {
  const std::vector<Detection> found = {{0, 1, 0.9, kUnit}, {0, 7, 0.9, kUnit}};
  const std::vector<WantedBox> wanted = {{0, 1, kUnit}, {0, 2, kUnit}};
  EXPECT_DOUBLE_EQ(mean_average_precision(found, wanted, 0.5), 0.5);
}

TEST(AveragePrecision, LooksAtTheHundredSurestOfASample) {
  std::vector<Detection> found;
  for (int i = 0; i < 100; ++i) found.push_back({0, 1, 0.9, {10, 10, 11, 11}});
  found.push_back({0, 1, 0.1, kUnit});
  EXPECT_DOUBLE_EQ(mean_average_precision(found, {{0, 1, kUnit}}, 0.5), 0);
  found.erase(found.begin());
  EXPECT_DOUBLE_EQ(mean_average_precision(found, {{0, 1, kUnit}}, 0.5), 0.01);
}

}  // namespace
}  // namespace hone
