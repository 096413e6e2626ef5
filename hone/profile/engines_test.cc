#include "hone/profile/engines.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

Metric metric(std::string name, double value, std::string unit) {
  return {.name = std::move(name), .value = value, .unit = std::move(unit)};
}

StepProfile step(double cycles, double matrix, double weights_late, double input_late) {
  StepProfile result;
  result.counters = {metric("cycles", cycles, ""),
                     metric("matrix_busy", matrix, "%"),
                     metric("mac_utilisation", matrix / 2, "%"),
                     metric("stall_weights_late", weights_late, "cycles"),
                     metric("stall_input_late", input_late, "cycles"),
                     metric("stall_host", 0, "cycles"),
                     metric("DRAM_read", 100, "B"),
                     metric("DRAM_written", 20, "B"),
                     metric("sram_bytes", 7000, "B")};
  return result;
}

TEST(EngineUse, OfAStepIsItsCounters) {
  const EngineUse use = engine_use(step(200, 60, 50, 30).counters);
  EXPECT_DOUBLE_EQ(use.matrix, 0.6);
  EXPECT_DOUBLE_EQ(use.macs, 0.3);
  EXPECT_DOUBLE_EQ(use.off_chip_bytes, 120);
  ASSERT_EQ(use.stalls.size(), 2u);
  EXPECT_EQ(use.stalls[0].cause, "weights late");
  EXPECT_DOUBLE_EQ(use.stalls[0].part, 0.25);
  EXPECT_EQ(longest_wait(use), "weights late 25 %");
}

TEST(EngineUse, OfStepsIsWeightedByTheirCycles) {
  Profile profile;
  profile.steps = {step(100, 100, 0, 0), step(300, 20, 30, 210)};
  const std::vector<size_t> both = {0, 1};
  const EngineUse use = engine_use(profile, both);
  EXPECT_DOUBLE_EQ(use.cycles, 400);
  EXPECT_DOUBLE_EQ(use.matrix, 0.4);
  EXPECT_DOUBLE_EQ(use.off_chip_bytes, 240);
  EXPECT_EQ(longest_wait(use), "input late 52 %");
}

TEST(EngineUse, OfACpuIsNothing) {
  const EngineUse use = engine_use(std::vector<Metric>{});
  EXPECT_DOUBLE_EQ(use.matrix, 0);
  EXPECT_EQ(longest_wait(use), "");
  EXPECT_FALSE(has_engines({}));
}

}  // namespace
}  // namespace hone
