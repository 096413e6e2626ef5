#include "hone/report/verdict.h"

#include <gtest/gtest.h>

#include "hone/report/report_examples.h"

namespace hone {
namespace {

void add_step(Profile& profile, const char* op, const char* work, double us) {
  StepProfile& step = profile.steps.emplace_back();
  step.op = op;
  step.kind.work = work;
  step.kind.variant = "neon";
  step.us = us;
  step.share = us / 100;
}

TEST(WorkShares, TellAnOperatorApartByKernelWhereItHasSeveral) {
  Profile profile;
  add_step(profile, "conv", "gemm_f32", 30);
  add_step(profile, "conv", "depthwise_f32", 10);
  add_step(profile, "conv", "gemm_f32", 20);
  add_step(profile, "softmax", "softmax", 40);
  const std::vector<WorkShare> works = work_shares(profile);
  ASSERT_EQ(works.size(), 3u);
  EXPECT_EQ(works[0].name, "conv (gemm_f32)");
  EXPECT_EQ(works[0].us, 50);
  EXPECT_EQ(works[0].steps, (std::vector<size_t>{0, 2}));
  EXPECT_EQ(works[1].name, "softmax");
  EXPECT_EQ(works[2].name, "conv (depthwise_f32)");
}

TEST(Headline, NamesTheUnitOncePerInterval) {
  Profile profile = example_profile(10.7);
  profile.latency[0].low = 10.6;
  profile.latency[0].high = 10.8;
  EXPECT_EQ(latency_headline(profile),
            "10.7 ms median (10.6 to 10.8 ms), measured on Board, 1 thread; 100 % of it in conv");
  profile.latency[0].low = 0.99;
  EXPECT_TRUE(latency_headline(profile).starts_with("10.7 ms median (990 us to 10.8 ms), "))
      << latency_headline(profile);
}

TEST(Headline, OfAGpuTellsPartsOfTheRun) {
  Profile profile;
  profile.tool = "pytorch";
  profile.latency = {{.name = "median", .value = 1, .unit = "ms"}};
  add_step(profile, "aten::addmm", "gemm", 100);
  profile.gpu = GpuTimeline{.run_us = 1000, .busy_us = 140};
  EXPECT_TRUE(latency_headline(profile).ends_with(
      "; the GPU is idle 86 % of it, 10 % of it in aten::addmm"))
      << latency_headline(profile);
  profile.gpu->run_us = 140;
  EXPECT_TRUE(latency_headline(profile).ends_with("; 71 % of it in aten::addmm"))
      << latency_headline(profile);
}

TEST(Headline, WhereNothingWasFoundTellsWhatIsKnown) {
  Profile profile;
  EXPECT_TRUE(known_without_findings(profile).empty());
  profile.tool = "pytorch";
  add_step(profile, "aten::layer_norm", "norm", 88);
  profile.gpu = GpuTimeline{.run_us = 1000, .busy_us = 990};
  const std::vector<std::string> known = known_without_findings(profile);
  ASSERT_EQ(known.size(), 2u);
  EXPECT_TRUE(known[0].starts_with(
      "the GPU was busy 99.0 % of the run, 88 % of that in aten::layer_norm; "))
      << known[0];
  EXPECT_NE(known[1].find("capability"), std::string::npos);
  profile.gpu->capability = "9.0";
  EXPECT_EQ(known_without_findings(profile).size(), 1u);
}

TEST(Headline, OfNothingMeasured) {
  EXPECT_EQ(latency_headline({}), "no latency");
  EXPECT_EQ(stability({}), "");
}

TEST(Stability, IsTheFirstReasonOrTheRuns) {
  Profile profile = example_profile(1);
  EXPECT_EQ(stability(profile), "steady over 16 runs");
  profile.unstable = {"the clock changed", "and more"};
  EXPECT_EQ(stability(profile), "unstable: the clock changed");
}

TEST(RunVerdict, NamesTheBestFinding) {
  Result<Report> report = make_report({optimization_input()});
  ASSERT_TRUE(report.ok()) << report.error().message;
  ReportRun& run = report->runs[0];
  EXPECT_TRUE(run_verdict(run).ends_with(
      "; the best of 1 finding: Convs wait for memory, 500 us or 25 % (predicted)"))
      << run_verdict(run);
  run.findings[0].option = true;
  EXPECT_TRUE(run_verdict(run).ends_with(
      "; nothing holds it back but what has a price in accuracy: Convs wait for memory, 500 us or "
      "25 % (predicted)"))
      << run_verdict(run);
  run.findings.clear();
  run.diagnosed = true;
  EXPECT_TRUE(run_verdict(run).ends_with("; nothing found that holds it back"));
}

TEST(ChangeVerdict, SaysHowManyTimes) {
  const Result<Report> faster =
      make_report({profile_input("a.json", 2), profile_input("b.json", 1)});
  ASSERT_TRUE(faster.ok());
  EXPECT_EQ(change_verdict(*faster, 1),
            "b is 2.00 times as fast as a: 2.00 ms -> 1.00 ms, measured");
  const Result<Report> same = make_report({profile_input("a.json", 2), profile_input("b.json", 2)});
  ASSERT_TRUE(same.ok());
  EXPECT_EQ(change_verdict(*same, 1), "b is as fast as a: 2.00 ms -> 2.00 ms, measured");
}

}  // namespace
}  // namespace hone
