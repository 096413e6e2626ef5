#include <gtest/gtest.h>

#include "hone/report/profile_text.h"

namespace hone {
namespace {

void add_step(Profile& profile, const std::string& op, StepKind kind, double us) {
  StepProfile& step = profile.steps.emplace_back();
  step.op = op;
  step.kind = std::move(kind);
  step.us = us;
}

TEST(Measurement, TellsStepsWithoutAKernelFromPlainKernels) {
  Profile profile;
  add_step(profile, "conv", {.work = "gemm_i8", .variant = "neon"}, 60);
  EXPECT_EQ(profile_text(profile, {}).find("kernels"), std::string::npos);
  add_step(profile, "conv", {.work = "depthwise_i8", .variant = "ref"}, 30);
  add_step(profile, "top_k", {.work = "reference", .reference = true}, 10);
  const std::string text = profile_text(profile, {});
  const std::string expected =
      "references     1 of 3 steps, 10.0 % of their time: no kernel takes them (top_k 1)\n"
      "plain kernels  1 of 3 steps, 30.0 % of their time: the CPU has, or is left, no features for "
      "faster ones (depthwise_i8 1)\n";
  EXPECT_NE(text.find(expected), std::string::npos) << text;
}

}  // namespace
}  // namespace hone
