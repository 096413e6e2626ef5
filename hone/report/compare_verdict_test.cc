#include "hone/report/compare_verdict.h"

#include <gtest/gtest.h>

#include <optional>

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

// "small" is the fastest, and "large" the most accurate, on both devices.
ModelComparison ranked_models(std::optional<double> limit_ms) {
  ModelComparison comparison{.max_latency_ms = limit_ms};
  comparison.models = {
      {.model = "small", .devices = {device_of("a", 2, 2, 2, 1), device_of("b", 1, 1, 1, 1)}},
      {.model = "large", .devices = {device_of("a", 5, 4, 6, 1), device_of("b", 3, 3, 3, 1)}}};
  for (DeviceComparison& model : comparison.models) {
    const double percent = model.model == "small" ? 71.8 : 75.2;
    for (DeviceFigures& figures : model.devices) {
      figures.accuracy = {.name = "accuracy", .value = percent, .unit = "%", .mode = Mode::Given};
    }
  }
  rank_models(comparison);
  return comparison;
}

TEST(ModelsVerdict, OfALimitIsWhatToTakeOnSeveralDevices) {
  EXPECT_EQ(models_verdict(ranked_models(30)),
            "take large, the most accurate within 30.0 ms on a and b");
  EXPECT_EQ(models_verdict(ranked_models(4)),
            "take small, the most accurate within 4.00 ms on a; take large, the most accurate "
            "within 4.00 ms on b");
}

TEST(ModelsVerdict, OfAccuraciesIsWhatToTakeForWhat) {
  ModelComparison comparison = ranked_models({});
  comparison.devices.resize(1);
  EXPECT_EQ(models_verdict(comparison),
            "on a take large (75.2 %, given; 5 ms (4 to 6), predicted), the most accurate, or "
            "small (71.8 %, given; 2 ms, predicted), the fastest");
  comparison.models[0].devices[0].accuracy.value = 80;
  EXPECT_EQ(models_verdict(comparison),
            "take small (80 %, given; 2 ms, predicted), the most accurate and the "
            "fastest, on a");
}

}  // namespace
}  // namespace hone
