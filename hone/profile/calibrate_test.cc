#include "hone/profile/calibrate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "hone/base/cpu_share.h"
#include "hone/base/parallel.h"
#include "hone/base/version.h"
#include "hone/device/machine.h"

namespace hone {
namespace {

void expect_rate(const Rate& rate) {
  EXPECT_TRUE(std::isfinite(rate.one) && std::isfinite(rate.all));
  EXPECT_GT(rate.one, 0);
  EXPECT_GT(rate.all, 0);
}

// As short as can be: what it finds is not judged, only that it finds it.
TEST(Calibrate, FindsEveryRoof) {
  size_t next = 0, all = 0;
  const auto device = calibrate_host(0,
                                     [&](size_t done, size_t total) {
                                       EXPECT_EQ(done, next);
                                       ++next;
                                       all = total;
                                     },
                                     {.seconds = 0});
  ASSERT_TRUE(device.ok()) << device.error().message;
  EXPECT_EQ(next, all + 1);
  EXPECT_EQ(device->name, cpu_info().name);
  EXPECT_EQ(device->kind, "cpu");
  EXPECT_EQ(device->mode, Mode::Measured);
  EXPECT_EQ(device->threads, hardware_threads());
  EXPECT_EQ(device->cpus, cpu_share().list());
  EXPECT_EQ(device->tool_version, version());
  EXPECT_EQ(device->date.size(), 10u);
  for (const char* precision : {"fp32", "int8"}) EXPECT_TRUE(device->compute_roof(precision));
  for (const ComputeRoof& roof : device->compute) {
    expect_rate(roof.ops);
    EXPECT_GE(roof.n, 5);
  }
  ASSERT_FALSE(device->memory.empty());
  EXPECT_EQ(device->memory.back().name, "DRAM");
  uint64_t nearer = 0;
  for (const MemoryLevel& level : device->memory) {
    EXPECT_GT(level.bytes, nearer);
    EXPECT_LT(level.stays_bytes, level.bytes);  // 0 is all of it.
    nearer = level.bytes;
    expect_rate(level.read);
    expect_rate(level.write);
    expect_rate(level.copy);
  }
  EXPECT_GT(device->dispatch->spinning_us, 0);
  EXPECT_EQ(device->energy->mode, Mode::Predicted);

  const auto read = parse_device_file(device_file_text(*device), "host.toml");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->compute[0].ops.one, device->compute[0].ops.one);
}

TEST(Calibrate, FirstTakesTheBestInstructionOfEachPrecision) {
  const auto whole = calibrate_host(1, {}, {.seconds = 0});
  const auto first = calibrate_host(1, {}, {.seconds = 0, .all_instructions = false});
  ASSERT_TRUE(whole.ok() && first.ok());
  std::map<std::string, std::string> best;
  for (const ComputeRoof& roof : whole->compute) best.emplace(roof.precision, roof.instruction);
  ASSERT_EQ(first->compute.size(), best.size());
  for (const ComputeRoof& roof : first->compute) {
    EXPECT_EQ(roof.instruction, best[roof.precision]) << roof.precision;
  }
  EXPECT_EQ(first->memory.size(), whole->memory.size());
}

TEST(Calibrate, RefusesANegativeNumberOfThreads) {
  EXPECT_EQ(calibrate_host(-1).error().message, "expected 0 or more threads, got -1");
}

}  // namespace
}  // namespace hone
