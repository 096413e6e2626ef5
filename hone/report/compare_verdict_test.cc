#include "hone/report/compare_verdict.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

DeviceFigures device_of(const char* name, double ms, double low, double high, double mj) {
  DeviceFigures device{.device = name};
  device.latency = {{.name = "median",
                     .value = ms,
                     .unit = "ms",
                     .mode = Mode::Predicted,
                     .low = low,
                     .high = high}};
  device.energy = {.name = "energy", .value = mj, .unit = "mJ", .mode = Mode::Simulated};
  return device;
}

TEST(ComparisonVerdict, NamesTheFastestAndTheMostSparing) {
  DeviceComparison comparison{.model = "net"};
  comparison.devices = {device_of("a", 2, 1.5, 3, 1),
                        device_of("b", 9, 8, 10, 0.5),
                        device_of("c", 4, 2.5, 6, 2),
                        {.device = "d", .failed = "no"}};
  EXPECT_EQ(comparison_verdict(comparison),
            "a is the fastest of 3 devices, 2 ms (predicted), though the intervals allow c; b "
            "takes the least energy, 0.5 mJ (simulated); it does not run on 1 more");
  comparison.energy_left_out = "of different things";
  comparison.devices.resize(2);
  EXPECT_EQ(comparison_verdict(comparison), "a is the fastest of 2 devices, 2 ms (predicted)");
}

TEST(ComparisonVerdict, OfNoneThatRunsSaysSo) {
  DeviceComparison comparison{.model = "net", .devices = {{.device = "d", .failed = "no"}}};
  EXPECT_EQ(comparison_verdict(comparison), "it runs on none of them");
}

TEST(ModelsVerdict, NamesTheFastestOnEachDevice) {
  ModelComparison comparison;
  comparison.models = {{.model = "small", .devices = {device_of("a", 2, 2, 2, 1)}},
                       {.model = "large", .devices = {device_of("a", 5, 5, 5, 1)}}};
  comparison.devices = {{.device = "a"}};
  EXPECT_EQ(models_verdict(comparison), "on a small is the fastest of 2 models, 2 ms (predicted)");
}

}  // namespace
}  // namespace hone
