#include "hone/profile/engines.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

StepProfile step(double cycles, double matrix, double weights_late, double input_late) {
  StepProfile result;
  sim::EngineCounters& counters = result.engines.emplace();
  counters.cycles = cycles;
  counters.busy.matrix = matrix;
  counters.macs = 8 * matrix;
  counters.possible_macs = 16 * cycles;
  counters.sram_bytes = 7000;
  counters.stalls[sim::Stall::WeightsLate] = weights_late;
  counters.stalls[sim::Stall::InputLate] = input_late;
  counters.memories = {{"DRAM", 100, 20}, {"flash memory", 0, 0}};
  return result;
}

TEST(EngineUse, OfAStepIsItsCounters) {
  const EngineUse use = engine_use(*step(200, 120, 50, 30).engines);
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
  profile.steps = {step(100, 100, 0, 0), step(300, 60, 30, 210), StepProfile()};
  const std::vector<size_t> all = {0, 1, 2};
  const EngineUse use = engine_use(profile, all);
  EXPECT_DOUBLE_EQ(use.cycles, 400);
  EXPECT_DOUBLE_EQ(use.matrix, 0.4);
  EXPECT_DOUBLE_EQ(use.macs, 0.2);
  EXPECT_DOUBLE_EQ(use.off_chip_bytes, 240);
  EXPECT_EQ(longest_wait(use), "input late 52 %");
}

TEST(EngineUse, OfACpuIsNothing) {
  const EngineUse use = engine_use(sim::EngineCounters());
  EXPECT_DOUBLE_EQ(use.matrix, 0);
  EXPECT_EQ(longest_wait(use), "");
  EXPECT_FALSE(has_engines({}));
}

TEST(AllCounters, HaveANumberForEveryCounter) {
  Profile profile;
  profile.mode = Mode::Simulated;
  StepProfile own = step(200, 120, 50, 30);
  own.counters = {{.name = "switches", .value = 3, .unit = ""}};
  const std::vector<Metric> metrics = all_counters(profile, own);
  EXPECT_EQ(metrics[0].name, "switches");
  EXPECT_EQ(metrics[1].mode, Mode::Simulated);
  EXPECT_TRUE(all_counters(profile).empty());
  const auto value = [&](std::string_view name) {
    const Metric* metric = find_metric(metrics, name);
    EXPECT_NE(metric, nullptr) << name;
    return metric == nullptr ? -1 : metric->value.value_or(-1);
  };
  EXPECT_DOUBLE_EQ(value("matrix_busy"), 60);
  EXPECT_DOUBLE_EQ(value("mac_utilisation"), 30);
  EXPECT_DOUBLE_EQ(value("stall_weights_late"), 50);
  EXPECT_DOUBLE_EQ(value("DRAM_read"), 100);
  EXPECT_DOUBLE_EQ(value("flash_memory_written"), 0);
  EXPECT_EQ(metrics.size(), 1 + 8 + sim::kStalls + 4 + 1);
}

}  // namespace
}  // namespace hone
