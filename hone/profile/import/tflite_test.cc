#include <gtest/gtest.h>

#include "hone/profile/import/import_testing.h"

namespace hone {
namespace {

TEST(ImportTflite, TellsOperatorsOfTheRegularRunsAsSteps) {
  const Profile profile = import_text("tflite", kTfliteSample);
  EXPECT_EQ(profile.tool, "tflite benchmark_model");
  EXPECT_EQ(profile.target, "tflite");
  ASSERT_EQ(profile.steps.size(), 3u);
  EXPECT_EQ(profile.steps[0].name, "net/conv/Relu;net/conv/Conv2D");
  EXPECT_EQ(profile.steps[0].op, "CONV_2D");
  EXPECT_DOUBLE_EQ(profile.steps[0].us, 1200);
  EXPECT_DOUBLE_EQ(profile.steps[0].share, 0.6);
  EXPECT_DOUBLE_EQ(*find_metric(profile.steps[0].counters, "first_call")->value, 1250);
  EXPECT_DOUBLE_EQ(*find_metric(profile.steps[0].counters, "memory")->value, 12.5);
  EXPECT_EQ(profile.layers[2].name, "net/out");
}

TEST(ImportTflite, CountsEveryCallAndKeepsCommasInNames) {
  const Profile profile = import_text("tflite", kTfliteSample);
  EXPECT_EQ(profile.steps[1].name, "net/a, net/b");
  EXPECT_DOUBLE_EQ(profile.steps[1].us, 200);
  EXPECT_DOUBLE_EQ(*find_metric(profile.steps[1].counters, "calls")->value, 2);
}

TEST(ImportTflite, TellsTheSumsOfTheOperators) {
  const Profile profile = import_text("tflite", kTfliteSample);
  EXPECT_EQ(find_metric(profile.latency, "median"), nullptr);
  const Metric* mean = find_metric(profile.latency, "mean");
  EXPECT_DOUBLE_EQ(*mean->value, 2);
  EXPECT_EQ(mean->n, 50);
  EXPECT_EQ(mean->note, "sums over the operators");
  EXPECT_DOUBLE_EQ(*find_metric(profile.latency, "min")->value, 1.95);
  EXPECT_DOUBLE_EQ(*find_metric(profile.latency, "max")->value, 2.1);
  EXPECT_DOUBLE_EQ(*find_metric(profile.latency, "cov")->value, 0.01);
  EXPECT_EQ(profile.step_runs, 50);
  ASSERT_EQ(profile.notes.size(), 1u);
  EXPECT_NE(profile.notes[0].find("inside delegates"), std::string::npos);
}

TEST(ImportTflite, ReadsWhatIsPrintedForPeople) {
  const Profile profile = import_text("tflite", kTflitePrintedSample);
  ASSERT_EQ(profile.steps.size(), 1u);
  EXPECT_EQ(profile.steps[0].name, "pool");
  EXPECT_EQ(profile.steps[0].op, "MAX POOL");
  EXPECT_DOUBLE_EQ(profile.steps[0].us, 719);
  EXPECT_EQ(profile.model, "tiny.tflite");
  EXPECT_EQ(profile.threads, 4);
  const Metric* mean = find_metric(profile.latency, "mean");
  EXPECT_DOUBLE_EQ(*mean->value, 2.4);
  EXPECT_EQ(mean->n, 60);
  EXPECT_EQ(mean->note, "whole runs");
  EXPECT_DOUBLE_EQ(*find_metric(profile.phases, "compile")->value, 0.855);
  EXPECT_DOUBLE_EQ(*find_metric(profile.phases, "first_run")->value, 5.1);
  EXPECT_TRUE(profile.notes.empty());
}

TEST(ImportTflite, TakesTheMedianWhereItIsTold) {
  const std::string text = with(kTfliteSample, "std=20", "std=20 p5=1960 p50=1995 p95=2050");
  EXPECT_DOUBLE_EQ(median_ms(import_text("tflite", text)), 1.995);
}

TEST(ImportTflite, SumsUpWhereNothingIsToldOfRuns) {
  const std::string text = with(kTfliteSample, "Timings", "Times");
  const Profile profile = import_text("tflite", with(text, "count=50", "count 50"));
  EXPECT_DOUBLE_EQ(median_ms(profile), 2);
  EXPECT_EQ(profile.latency[0].n, 1);
}

TEST(ImportTflite, SaysWhatIsWrongAndWhere) {
  const std::string regular(kTfliteSample.substr(kTfliteSample.find("Operator-wise")));
  const auto error = [&](std::string_view from, std::string_view to) {
    return import_error("tflite", with(regular, from, to));
  };
  EXPECT_EQ(error("1.25, 1.2", "1.25, nan"),
            "line 4: avg ms is 'nan', expected a number from 0 to 1e+09");
  EXPECT_EQ(error("CONV_2D, 1.25, 1.2", "CONV_2D, x, 1.2"),
            "line 4: first is 'x', expected a number from 0 to 1e+09");
  EXPECT_EQ(error(" avg_ms,", ""), "line 3: no column 'avg ms'");
  EXPECT_EQ(error("SPLIT, 0.1, 0.1, 10%, 70%, 0, 2, [net/a, net/b]:1", "SPLIT, 0.1"),
            "line 5: 2 columns, expected 'avg ms' as column 3");
  EXPECT_EQ(error("1.25, 1.2, 60%, 60%, 12.5, 1,", "1.25, 1e8, 60%, 60%, 12.5, 100,"),
            "line 4: 100 calls of 1e+08 ms");
  EXPECT_EQ(import_error("tflite", "== Run Order =="), "no operators below 'Run Order'");
  EXPECT_EQ(import_error("tflite", regular.substr(0, regular.find("CONV_2D"))),
            "line 2: no operators below");
}

}  // namespace
}  // namespace hone
