#include "hone/base/progress.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(Progress, LineShowsShareAndTimeLeft) {
  EXPECT_EQ(progress_line("tune", 0.5, 12, 37), "tune [######......]  50 % 12.0 s left");
  EXPECT_EQ(progress_line("tune", 1, {}, 24), "tune [###########] 100 %");
}

TEST(Progress, OfUnknownLengthTheLineIsItsName) {
  EXPECT_EQ(progress_line("optimize: try int8", {}, {}, 80), "optimize: try int8");
}

TEST(Progress, LineNeverPassesTheWidth) {
  for (size_t width = 0; width < 100; ++width) {
    EXPECT_LE(progress_line("a rather long label", 1.0 / 3, 4000, width).size(), width);
    EXPECT_LE(progress_line("a rather long label", {}, {}, width).size(), width);
  }
}

TEST(Progress, NamesFromFilesAreShownAndNotObeyed) {
  const std::string line =
      progress_line("measuring \x1b[2J\n" + std::string(1 << 20, 'x'), {}, {}, 79);
  EXPECT_TRUE(line.starts_with("measuring \\x1b[2J\\n")) << line;
  EXPECT_LE(line.size(), 79u);
}

TEST(Progress, WritesNothingWhenStandardErrorIsNoTerminal) {
  testing::internal::CaptureStderr();
  {
    Progress work("work");
    work.begin("first");
    Progress inner("inner", 3);
    for (int i = 0; i < 3; ++i) inner.step();
    Progress timed("timed", Progress::Time{0});
    timed.step();
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Progress, GoesToAViewInPlaceOfTheTerminal) {
  std::vector<std::string> lines;
  show_progress_by([&](const std::string& line) { lines.push_back(line); });
  {
    Progress work("work");
    work.begin("first");
    Progress inner("inner", 2);
    inner.begin("half");
  }
  show_progress_by(nullptr);
  Progress("unseen").begin("more");
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0], "work: first");
  EXPECT_TRUE(lines[1].starts_with("work: first: inner: half [")) << lines[1];
  EXPECT_EQ(lines[2], "");
}

TEST(Progress, QuietLeavesOutNotes) {
  testing::internal::CaptureStderr();
  say_on_stderr("a note");
  be_quiet(true);
  say_on_stderr("another");
  be_quiet(false);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "hone: a note\n");
}

}  // namespace
}  // namespace hone
