#include <gtest/gtest.h>

#include "hone/profile/import/import_testing.h"

namespace hone {
namespace {

TEST(ImportOpenvino, TellsExecutedLayersAsSteps) {
  const Profile profile = import_text("openvino", kOpenvinoAverageSample);
  EXPECT_EQ(profile.tool, "openvino benchmark_app");
  ASSERT_EQ(profile.steps.size(), 2u);
  // A `;` in the name is the name's.
  EXPECT_EQ(profile.steps[0].name, "stem/Relu;stem/Conv2D");
  EXPECT_EQ(profile.steps[0].op, "Convolution");
  EXPECT_EQ(kernel_name(profile.steps[0].kind), "jit_avx512_FP32");
  EXPECT_EQ(profile.steps[0].kind.precision, Arithmetic::Fp32);
  EXPECT_DOUBLE_EQ(profile.steps[0].us, 250);
  EXPECT_DOUBLE_EQ(*find_metric(profile.steps[0].counters, "cpu_time")->value, 240);
  EXPECT_EQ(profile.steps[1].kind.precision, Arithmetic::Int8);
  EXPECT_DOUBLE_EQ(profile.steps[1].share, 50 / 300.0);
}

TEST(ImportOpenvino, NamesLayersThatDidNotRun) {
  const Profile profile = import_text("openvino", kOpenvinoAverageSample);
  ASSERT_EQ(profile.layers.size(), 4u);
  EXPECT_EQ(profile.layers[0].name, "image");
  EXPECT_EQ(profile.layers[0].ended, "not run");
  EXPECT_TRUE(profile.layers[0].steps.empty());
  EXPECT_EQ(profile.layers[2].ended, "optimized out");
  EXPECT_EQ(profile.sources[2].op, "Add");
}

TEST(ImportOpenvino, OneTableIsAMean) {
  const Profile profile = import_text("openvino", kOpenvinoAverageSample);
  ASSERT_EQ(profile.latency.size(), 1u);
  EXPECT_EQ(profile.latency[0].name, "mean");
  EXPECT_DOUBLE_EQ(*profile.latency[0].value, 0.3);
  EXPECT_TRUE(profile.samples_ms.empty());
  EXPECT_EQ(profile.steps[0].us_p90, 0);
  EXPECT_NE(profile.step_times.find("does not tell"), std::string::npos);
}

TEST(ImportOpenvino, SeveralTablesAreRuns) {
  const Profile profile = import_text("openvino", kOpenvinoDetailedSample);
  ASSERT_EQ(profile.steps.size(), 2u);
  ASSERT_EQ(profile.samples_ms.size(), 3u);
  EXPECT_DOUBLE_EQ(profile.samples_ms[2], 0.32);
  EXPECT_DOUBLE_EQ(median_ms(profile), 0.27);
  EXPECT_DOUBLE_EQ(profile.steps[0].us, 210);  // Of the two runs nearest to the median.
  EXPECT_DOUBLE_EQ(profile.steps[1].us, 45);
  EXPECT_EQ(profile.steps[0].us_blocks.size(), 3u);
  EXPECT_EQ(profile.steps[0].kind.precision, Arithmetic::Fp16);
}

TEST(ImportOpenvino, SaysWhatIsWrongAndWhere) {
  const auto error = [](std::string_view from, std::string_view to) {
    return import_error("openvino", with(kOpenvinoAverageSample, from, to));
  };
  EXPECT_EQ(error("0.250000", "quick"),
            "line 3: realTime (ms) is 'quick', expected a number from 0 to 1e+09");
  EXPECT_EQ(error("0.250000", "1e99"),
            "line 3: realTime (ms) is '1e99', expected a number from 0 to 1e+09");
  EXPECT_EQ(error(";realTime (ms)", ""), "line 1: no column 'realTime (ms)'");
  EXPECT_EQ(error("NOT_RUN", "MAYBE"),
            "line 2: execStatus is 'MAYBE', expected EXECUTED, NOT_RUN or OPTIMIZED_OUT");
  EXPECT_EQ(import_error("openvino",
                         "layerName;execStatus;layerType;execType;realTime (ms);"
                         "cpuTime (ms)\nstem;EXECUTED;Convolution"),
            "line 2: 3 columns, expected 'realTime (ms)' as column 5");
  EXPECT_EQ(import_error("openvino", kOpenvinoAverageSample.substr(0, 120)),
            "no layer with execStatus EXECUTED");
}

}  // namespace
}  // namespace hone
