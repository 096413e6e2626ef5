#include "hone/base/process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <future>
#include <thread>

namespace hone {
namespace {

TEST(Process, GivesOutputAndStatus) {
  const auto output = run_program({"sh", "-c", "echo out; echo err >&2; exit 3"}, 10);
  ASSERT_TRUE(output.ok());
  EXPECT_EQ(output->text, "out\nerr\n");
  EXPECT_EQ(output->status, 3);
}

TEST(Process, ArgumentsAreNotSeenByAShell) {
  EXPECT_EQ(run_program({"echo", "$HOME; *"}, 10)->text, "$HOME; *\n");
}

TEST(Process, StandardInputIsEmpty) {
  EXPECT_EQ(run_program({"cat"}, 10)->text, "");
}

TEST(Process, ASignalShowsInTheStatus) {
  EXPECT_EQ(run_program({"sh", "-c", "kill -9 $$"}, 10)->status, 137);
}

TEST(Process, KeepsABoundedPartOfEndlessOutput) {
  const auto output = run_program({"sh", "-c", "yes | head -c 3000000"}, 30);
  EXPECT_EQ(output->text.size(), size_t{1} << 20);
}

TEST(Process, EndsAProgramAndItsChildrenAtTheLimit) {
  const auto start = std::chrono::steady_clock::now();
  const auto output = run_program({"sh", "-c", "sleep 60 & sleep 60"}, 0.2);
  ASSERT_FALSE(output.ok());
  EXPECT_EQ(output.error().message, "sh: still running after 0.2 s");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

// As a handler of signals does. Whoever waits sees the end of the output, which the child of the
// program has, too.
TEST(Process, EndsWhatIsWaitedForWithItsChildren) {
  const std::filesystem::path started =
      std::filesystem::path(testing::TempDir()) / ("hone_child_" + std::to_string(::getpid()));
  const auto waiting = std::async(std::launch::async, [&] {
    return run_program({"sh", "-c", "sleep 99999 & touch '" + started.string() + "'; wait"}, 99999);
  });
  while (!std::filesystem::exists(started)) std::this_thread::yield();
  end_programs();
  waiting.wait();
  std::filesystem::remove(started);
}

// One that would rather not.
TEST(Process, EndsAProgramThatIgnoresTheRequest) {
  EXPECT_FALSE(run_program({"sh", "-c", "trap '' TERM; sleep 60; sleep 60"}, 0.2).ok());
}

TEST(Process, EndsAProgramThatOnlyClosedItsOutput) {
  EXPECT_FALSE(run_program({"sh", "-c", "exec >&- 2>&-; sleep 60"}, 0.2).ok());
}

TEST(Process, AMissingProgramIsAnError) {
  const auto output = run_program({"hone-no-such-program"}, 1);
  ASSERT_FALSE(output.ok());
  EXPECT_EQ(output.error().kind, ErrorKind::Resource);
  EXPECT_FALSE(find_program("hone-no-such-program"));
  EXPECT_FALSE(find_program("/"));
}

TEST(Process, FindsAProgramOnThePath) {
  ASSERT_TRUE(find_program("sh"));
  EXPECT_TRUE(find_program("sh")->is_absolute());
}

TEST(AskInChild, GivesTheAnswer) {
  EXPECT_EQ(*ask_in_child([] { return std::string("yes"); }, 10), "yes");
  EXPECT_EQ(*ask_in_child([] { return std::string(); }, 10), "");
  const std::string long_one(300'000, 'x');
  EXPECT_EQ(*ask_in_child([&] { return long_one; }, 10), long_one);
}

TEST(AskInChild, SurvivesWhatCrashes) {
  const auto crashed = ask_in_child(
      []() -> std::string {
        raise(SIGSEGV);
        return "";
      },
      10);
  ASSERT_FALSE(crashed.ok());
  EXPECT_EQ(crashed.error().message, "crashes: Segmentation fault");
  const auto left = ask_in_child([]() -> std::string { _exit(3); }, 10);
  ASSERT_FALSE(left.ok());
  EXPECT_EQ(left.error().message, "ends the program");
}

TEST(AskInChild, SurvivesWhatHangs) {
  const auto start = std::chrono::steady_clock::now();
  const auto hung = ask_in_child(
      []() -> std::string {
        for (;;) pause();
      },
      0.2);
  ASSERT_FALSE(hung.ok());
  EXPECT_EQ(hung.error().message, "does not answer within 0.2 s");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

}  // namespace
}  // namespace hone
