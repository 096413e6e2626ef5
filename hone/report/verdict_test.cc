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

}  // namespace
}  // namespace hone
