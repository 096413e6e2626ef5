#include "hone/base/progress.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace hone {
namespace {

TEST(Progress, LineShowsShareAndTimeLeft) {
  EXPECT_EQ(progress_line("tune", 5, 10, 12, 37), "tune [######......]  50 % 12.0 s left");
  EXPECT_EQ(progress_line("tune", 10, 10, 24, 24), "tune [###########] 100 %");
}

TEST(Progress, LineNeverPassesTheWidth) {
  for (size_t width = 0; width < 100; ++width) {
    EXPECT_LE(progress_line("a rather long label", 3, 9, 4000, width).size(), width);
  }
}

TEST(Progress, MoreStepsThanAnnouncedStayAtTheEnd) {
  EXPECT_NE(progress_line("x", 12, 10, 1, 40).find("100 %"), std::string::npos);
  EXPECT_NE(progress_line("x", 0, 0, 1, 40).find("100 %"), std::string::npos);
}

TEST(Progress, WritesNothingWhenStandardErrorIsNoTerminal) {
  testing::internal::CaptureStderr();
  {
    Progress progress("work", 3);
    for (int i = 0; i < 3; ++i) progress.step();
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Progress, OneLineTellsOfWorkThatTakesLong) {
  testing::internal::CaptureStderr();
  {
    Progress progress("work", 3, std::chrono::milliseconds(0));
    for (int i = 0; i < 3; ++i) progress.step();
  }
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(told.starts_with("hone: work: about ")) << told;
  EXPECT_EQ(std::ranges::count(told, '\n'), 1) << told;
}

TEST(Phases, AreToldOnceAMomentHasPassed) {
  testing::internal::CaptureStderr();
  {
    Phases phases("work", std::chrono::hours(1));
    phases.begin("short");
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  testing::internal::CaptureStderr();
  {
    Phases phases("work", std::chrono::milliseconds(0));
    phases.begin("first");
    phases.begin("second");
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "hone: work: first\nhone: work: second\n");
}

}  // namespace
}  // namespace hone
