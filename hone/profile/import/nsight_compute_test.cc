#include <gtest/gtest.h>

#include "hone/profile/import/import_testing.h"

namespace hone {
namespace {

TEST(ImportNsightCompute, TellsLaunchesAsSteps) {
  const Profile profile = import_text("nsight_compute", kNsightComputeSample);
  EXPECT_EQ(profile.tool, "nsight compute");
  EXPECT_EQ(profile.target, "cuda");
  EXPECT_EQ(profile.device, "GPU 0, compute capability 9.0");
  ASSERT_EQ(profile.steps.size(), 2u);
  EXPECT_EQ(profile.steps[0].name, "gemm");
  EXPECT_EQ(profile.sources[0].name, "void gemm<float, 4>(const float *, int)");
  EXPECT_EQ(kernel_name(profile.steps[0].kind), "grid (128, 2, 1), block (256, 1, 1)");
  EXPECT_DOUBLE_EQ(profile.steps[0].us, 1234.5);
  EXPECT_DOUBLE_EQ(profile.steps[1].us, 2.5);
  EXPECT_DOUBLE_EQ(median_ms(profile), 1.237);
  EXPECT_EQ(profile.latency[0].n, 1);
  EXPECT_EQ(profile.timeline[1].start_us, 1234.5);
}

TEST(ImportNsightCompute, RefusesDecimalCommas) {
  EXPECT_EQ(import_error("nsight_compute", with(kNsightComputeSample, "1,234.50", "5,82")),
            "line 5: '5,82', expected a decimal point and commas between thousands: let ncu run "
            "with LC_ALL=C");
  EXPECT_EQ(import_text("nsight_compute", with(kNsightComputeSample, "1,234.50", "1,234,567"))
                .steps[0]
                .us,
            1234567);
}

TEST(ImportNsightCompute, NumbersLaunchesOfOneKernel) {
  const Profile profile = import_text(
      "nsight_compute", with(kNsightComputeSample, "\"relu\"", "\"void gemm<int, 2>()\""));
  ASSERT_EQ(profile.steps.size(), 2u);
  EXPECT_EQ(profile.steps[0].name, "gemm");
  EXPECT_EQ(profile.steps[1].name, "gemm 2");
  EXPECT_EQ(profile.sources[1].name, "void gemm<int, 2>()");
}

TEST(ImportNsightCompute, KeepsOtherMetricsAsCounters) {
  const Profile profile = import_text("nsight_compute", kNsightComputeSample);
  const std::vector<Metric>& counters = profile.steps[0].counters;
  ASSERT_EQ(counters.size(), 2u);
  EXPECT_EQ(counters[0].name, "Memory Throughput");
  EXPECT_EQ(counters[0].value, 47.8);
  EXPECT_EQ(counters[0].unit, "%");
  EXPECT_FALSE(counters[1].value.has_value());
  EXPECT_EQ(counters[1].note, "the file says 'CachePreferNone'");
}

TEST(ImportNsightCompute, KnowsTheUnitsOfTime) {
  const auto us = [](std::string_view unit) {
    const std::string text = with(kNsightComputeSample, "nsecond", unit);
    return import_text("nsight_compute", text).steps[1].us;
  };
  EXPECT_DOUBLE_EQ(us("ns"), 2.5);
  EXPECT_DOUBLE_EQ(us("usecond"), 2500);
  EXPECT_DOUBLE_EQ(us("ms"), 2.5e6);
  EXPECT_DOUBLE_EQ(us("second"), 2.5e9);
}

TEST(ImportNsightCompute, SaysWhatIsWrongAndWhere) {
  const auto error = [](std::string_view from, std::string_view to) {
    return import_error("nsight_compute", with(kNsightComputeSample, from, to));
  };
  EXPECT_EQ(error("1,234.50", "n/a"),
            "line 5: Duration is 'n/a', expected a number from 0 to 1e+12");
  EXPECT_EQ(error("nsecond", "cycle"),
            "line 10: gpu__time_duration.sum is in 'cycle', expected ns, us, ms or s");
  EXPECT_EQ(error("\"Metric Name\"", "\"Metric\""), "line 4: no column 'Metric Name'");
  EXPECT_EQ(error("gpu__time_duration.sum", "sm__cycles"),
            "kernel 'relu' has no time: collect gpu__time_duration.sum or the section "
            "SpeedOfLight");
  std::string twice(kNsightComputeSample);
  const size_t second = twice.find("\"1\",\"42\"");
  twice.insert(second, twice.substr(second, twice.find("==PROF== Report") - second));
  EXPECT_EQ(import_error("nsight_compute", twice),
            "line 11: launch 1 has its time twice, expected the table of one run of ncu");
  EXPECT_EQ(error(",\"47.8\",", ""), "line 6: 14 columns, expected 'Metric Value' as column 15");
  const size_t cut = kNsightComputeSample.find("over two");
  EXPECT_EQ(import_error("nsight_compute", kNsightComputeSample.substr(0, cut)),
            "line 8: a quote does not end; the file may be cut off");
}

TEST(ImportNsightCompute, KeepsWhichCoresMultiply) {
  std::string text(kNsightComputeSample);
  for (int i = 0; i < 4; ++i) text = with(text, "void gemm<float, 4>", "void ampere_sgemm<4>");
  const StepKind kind = import_text("nsight_compute", text).steps.at(0).kind;
  EXPECT_EQ(kind.variant, "fp32 cores");
  EXPECT_EQ(kernel_name(kind), "grid (128, 2, 1), block (256, 1, 1) fp32 cores");
}

}  // namespace
}  // namespace hone
