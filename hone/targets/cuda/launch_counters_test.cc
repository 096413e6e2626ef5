#include "hone/targets/cuda/launch_counters.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace hone::cuda {
namespace {

double value_of(const std::vector<Metric>& counters, std::string_view name) {
  const auto found = std::ranges::find(counters, name, &Metric::name);
  EXPECT_NE(found, counters.end()) << name;
  return found == counters.end() ? -1 : found->value.value_or(-1);
}

Step step_of(size_t launches) {
  Step step;
  if (launches > 0) step.variants.push_back({"", std::vector<Launch>(launches)});
  return step;
}

TEST(LaunchCounters, AreOfStepsAndNotOfLaunches) {
  Plan plan;
  plan.steps = {step_of(1), step_of(0), step_of(2)};  // The second is the host's.
  const std::vector<std::string> metrics = counted_metrics();
  const auto at = [&](std::string_view metric) {
    return static_cast<size_t>(std::ranges::find(metrics, metric) - metrics.begin());
  };
  std::vector<std::vector<double>> counted(3, std::vector<double>(metrics.size()));
  const double nanoseconds[] = {5000, 1000, 3000};
  const double bytes[] = {10, 20, 30};
  const double occupancy[] = {50, 20, 60};
  for (size_t l = 0; l < counted.size(); ++l) {
    counted[l][at("gpu__time_duration.sum")] = nanoseconds[l];
    counted[l][at("dram__bytes_read.sum")] = bytes[l];
    counted[l][at("sm__warps_active.avg.pct_of_peak_sustained_active")] = occupancy[l];
  }
  const auto steps = counters_of_steps(plan, counted);
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_TRUE(steps[1].empty());
  EXPECT_DOUBLE_EQ(value_of(steps[0], "Duration"), 5);
  EXPECT_DOUBLE_EQ(value_of(steps[0], "Achieved Occupancy"), 50);
  EXPECT_DOUBLE_EQ(value_of(steps[2], "Duration"), 4);
  EXPECT_DOUBLE_EQ(value_of(steps[2], "DRAM Bytes Read"), 50);
  EXPECT_DOUBLE_EQ(value_of(steps[2], "Achieved Occupancy"), 50);  // 20 for 1 us, 60 for 3.
}

}  // namespace
}  // namespace hone::cuda
