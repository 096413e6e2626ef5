#include "hone/targets/analytic/predict.h"

#include <gtest/gtest.h>

#include <vector>

#include "hone/targets/devices.h"

namespace hone {
namespace {

const AnalyticSpec kSpec = {
    .peak_ops = {{"fp32", 100e9}, {"int8", 400e9}},
    .efficiency = {{"dense", 0.5}, {"depthwise", 0.1}, {"product", 0.5}, {"other", 0.2}},
    .bytes_per_second = 10e9,
    .memory_efficiency = 0.8,
    .step_us = 3,
    .run_us = 20};

TEST(Predict, TakesTheSlowerOfArithmeticAndMemory) {
  const StepPrediction heavy = predict_step(kSpec, {"dense", "fp32", 100e6, 8e6});
  EXPECT_DOUBLE_EQ(heavy.arithmetic_us, 2000);
  EXPECT_DOUBLE_EQ(heavy.memory_us, 1000);
  EXPECT_DOUBLE_EQ(heavy.us, 2003);
  EXPECT_DOUBLE_EQ(predict_step(kSpec, {"other", "fp32", 1, 16e6}).us, 2003);
  EXPECT_DOUBLE_EQ(predict_step(kSpec, {"depthwise", "int8", 40e6, 0}).us, 1003);
}

TEST(Predict, FallsBackToTheRateOfFloats) {
  EXPECT_EQ(peak_of(kSpec, "int8"), 400e9);
  EXPECT_EQ(peak_of(kSpec, "fp16"), 100e9);
}

TEST(Predict, StepsThatDoNothingTakeNoTime) {
  EXPECT_EQ(predict_step(kSpec, {}).us, 0);
  EXPECT_EQ(predict_run(kSpec, std::vector<AnalyticStep>(3)), 20);
}

// On every device of the catalog: never faster than the peak or the bandwidth allow, and more work
// never takes less time.
TEST(Predict, KeepsToTheBoundsAndGrowsWithTheWork) {
  for (const Device& device : device_catalog()) {
    const AnalyticSpec* spec = device.analytic();
    if (spec == nullptr) continue;
    for (const auto& [kind, efficiency] : spec->efficiency) {
      for (const std::string_view precision : {"fp32", "fp16", "int8"}) {
        double before = 0;
        for (double ops = 1e3; ops < 1e13; ops *= 10) {
          const double bytes = ops / 16;
          const double us = predict_step(*spec, {kind, precision, ops, bytes}).us;
          EXPECT_GE(us, 1e6 * ops / peak_of(*spec, precision)) << device.name;
          EXPECT_GE(us, 1e6 * bytes / spec->bytes_per_second) << device.name;
          EXPECT_GE(predict_step(*spec, {kind, precision, ops, 2 * bytes}).us, us) << device.name;
          EXPECT_GT(us, before) << device.name;
          before = us;
        }
      }
    }
  }
}

}  // namespace
}  // namespace hone
