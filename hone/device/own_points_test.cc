#include "hone/device/own_points.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hone {
namespace {

// Costs of pointwise multiply-adds alone, known to about 40 %, of networks that scatter by 10 %.
DeviceClass plain_class() {
  DeviceClass plain;
  plain.costs = {.covariance = diagonal(0.16)};
  plain.sigma = 0.1;
  plain.evidence.devices = 40;
  return plain;
}

// Each so many times as long as a device takes that is 1.2 times as slow as its class.
std::vector<MeasuredWork> points_off_by(const std::vector<double>& factors) {
  std::vector<MeasuredWork> points;
  for (size_t p = 0; p < factors.size(); ++p) {
    MeasuredWork point{.effect = {.sigma = 0.1}};
    point.work[0] = 1e6 * static_cast<double>(p + 1);
    point.ms = 1.2 * static_cast<double>(p + 1) * factors[p];
    points.push_back(point);
  }
  return points;
}

std::vector<LeftOutPoint> check(const std::vector<double>& factors) {
  return leave_out_points(plain_class(), {}, points_off_by(factors));
}

TEST(OwnPoints, ThatAgreeWidenNothing) {
  const auto found = check({1, 1.05, 0.95, 1.02, 0.97, 1});
  EXPECT_EQ(widening_of(found), 1);
  for (const LeftOutPoint& point : found) {
    EXPECT_FALSE(point.is_odd);
    EXPECT_LT(std::abs(point.log_off), 0.1);
  }
  EXPECT_EQ(widening_of({}), 1);
}

TEST(OwnPoints, ThatScatterWidenAsTheyDo) {
  const double some = widening_of(check({1.2, 0.8, 1.25, 0.85, 1.15, 0.8, 1.2, 0.83}));
  const double more = widening_of(check({1.6, 0.6, 1.7, 0.5, 1.8, 0.55, 1.5, 0.6}));
  EXPECT_GT(some, 1.3);
  EXPECT_GT(more, 1.7 * some);
}

TEST(OwnPoints, OneInAnotherUnitIsNamedAndLeftOut) {
  for (const size_t count : {3, 4, 25}) {
    std::vector<double> factors(count, 1);
    factors[1] = 1e-3;
    const auto found = check(factors);
    for (size_t p = 0; p < count; ++p) EXPECT_EQ(found[p].is_left_out, p == 1) << count << " " << p;
    EXPECT_NEAR(found[1].expected_ms, 2.4, 0.3);
    EXPECT_NEAR(found[0].log_off, 0, 0.15);
    EXPECT_EQ(widening_of(found) > 1, count < 10) << count;
    EXPECT_LT(widening_of(found), 2);
  }
}

TEST(OwnPoints, AllInAnotherUnitAreNamedByTheClass) {
  for (const size_t count : {1, 2, 3, 10}) {
    for (const LeftOutPoint& point : check(std::vector<double>(count, 1e-3))) {
      EXPECT_TRUE(point.is_odd);
      EXPECT_FALSE(point.is_left_out);
      EXPECT_NEAR(point.log_off, std::log(1.2e-3), 1e-9);
    }
  }
}

TEST(OwnPoints, ThatContradictOneAnotherAreKeptAndWiden) {
  const auto found = check({200, 1e-3});
  EXPECT_FALSE(found[0].is_left_out || found[1].is_left_out);
  EXPECT_GT(widening_of(found), 5);
}

TEST(OwnPoints, AnOddOneSaysWhatItWouldBe) {
  EXPECT_EQ(odd_text({.expected_ms = 58.4, .log_off = std::log(1e-3)}),
            "1000 times less than expected (58.400 ms); seconds instead of milliseconds?");
  EXPECT_EQ(odd_text({.expected_ms = 2, .log_off = std::log(900)}),
            "900 times more than expected (2.000 ms); microseconds instead of milliseconds?");
  EXPECT_EQ(odd_text({.expected_ms = 2, .log_off = std::log(3.5)}),
            "3.5 times more than expected (2.000 ms)");
}

}  // namespace
}  // namespace hone
