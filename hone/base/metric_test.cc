#include "hone/base/metric.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace hone {
namespace {

TEST(Metric, JsonHasEveryKeyInOrder) {
  const Metric metric = {.name = "latency_p50",
                         .value = 12.5,
                         .unit = "ms",
                         .mode = Mode::Emulated,
                         .n = 50,
                         .low = 12.0,
                         .high = 13.0,
                         .note = "copies included"};
  EXPECT_EQ(nlohmann::ordered_json(metric).dump(),
            R"({"name":"latency_p50","value":12.5,"unit":"ms","mode":"emulated","n":50,)"
            R"("low":12.0,"high":13.0,"note":"copies included"})");
  EXPECT_EQ(nlohmann::json(metric)["value"], 12.5);
}

TEST(Metric, UnavailableIsPresentWithItsReason) {
  const nlohmann::json json = unavailable("energy", "mJ", "no RAPL");
  EXPECT_TRUE(json["value"].is_null());
  EXPECT_EQ(json["note"], "no RAPL");
  EXPECT_EQ(json["n"], 0);
}

TEST(Metric, NotANumberIsNeverWrittenWithoutAReason) {
  const Metric metric = {.name = "cov", .value = std::numeric_limits<double>::quiet_NaN()};
  EXPECT_EQ(nlohmann::json(metric)["note"], "not a finite number");
  EXPECT_EQ(describe(metric), "unavailable: not a finite number");
}

TEST(Metric, DescriptionNamesTheProvenance) {
  EXPECT_EQ(describe({.name = "macs", .value = 3, .mode = Mode::Exact}), "3 (exact)");
  EXPECT_EQ(describe({.name = "t", .value = 12.34, .unit = "ms", .n = 9, .low = 12, .high = 13}),
            "12.34 ms (measured, n 9, 12 to 13)");
}

}  // namespace
}  // namespace hone
