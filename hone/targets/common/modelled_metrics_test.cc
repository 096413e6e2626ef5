#include "hone/targets/common/modelled_metrics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hone {
namespace {

TEST(ModelledMetrics, IntervalsOfPublishedTimesSayWhoseTheyAre) {
  Metric latency = predicted_metric("latency", 10, "ms");
  set_interval(latency, {.rows = 12, .factor = 1.25, .of = "some-npu"}, 2);
  EXPECT_DOUBLE_EQ(*latency.low, 4);
  EXPECT_DOUBLE_EQ(*latency.high, 25);
  EXPECT_EQ(latency.note, "nine of ten expected within, by 12 published times of some-npu");
}

TEST(ModelledMetrics, EnergyIsAsUncertainAsPowerAndTimeTogether) {
  Metric latency = predicted_metric("latency", 10, "ms");
  const DevicePower power{.of = "chip", .typical_watts = 3, .factor = 2};
  const Metric surely = run_energy(power, latency, 1e9);
  EXPECT_DOUBLE_EQ(*surely.value, 30);
  EXPECT_DOUBLE_EQ(*surely.low, 15);
  EXPECT_DOUBLE_EQ(*surely.high, 60);
  EXPECT_EQ(surely.note, "of one run at 3 W, typical of the chip while it runs a network");
  set_interval(latency, std::nullopt, 2);
  const Metric energy = run_energy(power, latency, 1e9);
  EXPECT_DOUBLE_EQ(*energy.high, 30 * std::exp(std::sqrt(2.0) * std::log(2.0)));
}

TEST(ModelledMetrics, LargerRunsDrawMoreWhereThatIsKnown) {
  DevicePower power{.typical_watts = 100};
  EXPECT_EQ(watts_of_run(power, 1e15), 100);
  power.typical_macs = 1e9;
  power.busy_macs = 1e11;
  EXPECT_EQ(watts_of_run(power, 1e15), 100);
  power.busy_watts = 400;
  EXPECT_EQ(watts_of_run(power, 1e6), 100);
  EXPECT_NEAR(watts_of_run(power, 1e10), 200, 1e-9);
  EXPECT_EQ(watts_of_run(power, 1e15), 400);
  const Metric energy = run_energy(power, predicted_metric("latency", 10, "ms"), 1e10);
  EXPECT_NEAR(*energy.value, 2000, 1e-9);
  EXPECT_NEAR(*energy.high, 3000, 1e-9);
  power.max_watts = 250;
  EXPECT_NEAR(*run_energy(power, predicted_metric("latency", 10, "ms"), 1e10).high, 2500, 1e-9);
  EXPECT_NEAR(*run_energy(power, predicted_metric("latency", 10, "ms"), 1).high, 1500, 1e-9);
  EXPECT_EQ(energy.note, "of one run at 200 W, what the device draws for one of so many MACs");
}

}  // namespace
}  // namespace hone
