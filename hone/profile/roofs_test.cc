#include "hone/profile/roofs.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

// 100 GFLOP/s a core; a cache of 1 MB at 100 GB/s and memory at 10 GB/s.
DeviceFile device() {
  DeviceFile device;
  device.threads = 2;
  device.compute = {{"fp32", "fma", {100e9, 200e9}}};
  device.memory = {{.name = "L2",
                    .bytes = 1000000,
                    .read = {100e9, 200e9},
                    .write = {100e9, 200e9},
                    .copy = {100e9, 200e9}},
                   {.name = "DRAM",
                    .bytes = 1000000000,
                    .read = {10e9, 15e9},
                    .write = {10e9, 15e9},
                    .copy = {10e9, 15e9}}};
  return device;
}

TEST(Roofs, ArithmeticOrMemorySetsTheTime) {
  const RoofTime compute = roof_time(device(), 1, {.flops = 100e6, .activation_bytes = 1000});
  EXPECT_DOUBLE_EQ(compute.us, 1000);
  EXPECT_EQ(compute.bound, "compute");
  const RoofTime memory = roof_time(device(), 1, {.flops = 1000, .activation_bytes = 500000});
  EXPECT_DOUBLE_EQ(memory.us, 5);
  EXPECT_EQ(memory.bound, "L2");
}

TEST(Roofs, WeightsComeFromTheLevelThatHoldsTheWholeNetwork) {
  const RoofTime small =
      roof_time(device(), 1, {.weight_bytes = 500000, .footprint_bytes = 900000});
  EXPECT_EQ(small.bound, "L2");
  const RoofTime large = roof_time(device(), 1, {.weight_bytes = 500000, .footprint_bytes = 5e6});
  EXPECT_EQ(large.bound, "DRAM");
  EXPECT_DOUBLE_EQ(large.us, 50);
}

TEST(Roofs, ThreadsShareWhatTheMachineHas) {
  EXPECT_DOUBLE_EQ(rate_for({10, 15}, 1, 2), 10);
  EXPECT_DOUBLE_EQ(rate_for({10, 15}, 2, 2), 15);
  EXPECT_DOUBLE_EQ(rate_for({10, 60}, 2, 8), 20);
}

// A run may have taken the cheaper branch: it would be above a roof.
TEST(Roofs, AreNotOfBranchesAndLoops) {
  Profile profile;
  profile.threads = 1;
  profile.steps.resize(2);
  profile.steps[0].op = "conv";
  profile.steps[1].op = "if";
  for (StepProfile& step : profile.steps) {
    step.kind.precision = Arithmetic::Fp32;
    step.flops = 1000;
    step.weight_bytes = 100;
  }
  apply_roofs(device(), profile);
  EXPECT_TRUE(profile.steps[0].roof_us);
  EXPECT_FALSE(profile.steps[1].roof_us);
}

TEST(Roofs, OfAnAcceleratorEndAtItsLaunches) {
  DeviceFile card{.name = "card",
                  .kind = "gpu",
                  .processors = 4,
                  .compute = {{.precision = "fp16", .instruction = "mma", .ops = {1e12, 1e12}}},
                  .memory = {{.name = "HBM", .bytes = 1 << 30, .copy = {1e12, 1e12}}},
                  .launch = LaunchCost{.graph_node_us = 0.5}};
  const RoofTime small = roof_time(card, 0, {.precision = "fp16", .flops = 1e5});
  EXPECT_EQ(small.bound, "launch");
  EXPECT_DOUBLE_EQ(small.us, 0.5);
  EXPECT_EQ(roof_time(card, 0, {.precision = "fp16", .flops = 1e7}).bound, "compute");
  EXPECT_EQ(roof_time(card, 0, {.activation_bytes = 1e7}).bound, "HBM");
  // What its host does is under no roof of its own.
  Profile profile;
  profile.steps.resize(2);
  for (StepProfile& step : profile.steps) step.flops = 1000;
  profile.steps[1].kind.on_host = true;
  apply_roofs(card, profile);
  EXPECT_TRUE(profile.steps[0].roof_us.has_value());
  EXPECT_FALSE(profile.steps[1].roof_us.has_value());
}

}  // namespace
}  // namespace hone
