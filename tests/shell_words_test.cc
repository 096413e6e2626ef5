#include "hone/cli/shell_words.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(ShellWords, AreQuotedWhereAShellWouldReadThemOtherwise) {
  const std::vector<std::string> words = {"hone", "lut", "x*2", "--in", "0.5,0", "it's.onnx", ""};
  const std::string line = shell_line(words);
  EXPECT_EQ(line, "hone lut 'x*2' --in 0.5,0 'it'\\''s.onnx' ''");
  EXPECT_EQ(words_of_shell_line(line), words);
}

TEST(ShellWords, OfALineThatNobodyQuotedAreTakenAsTheyLie) {
  const std::vector<std::string> expected = {"hone", "profile", "a b", "c d"};
  EXPECT_EQ(words_of_shell_line("  hone profile\ta\\ b 'c d"), expected);
  EXPECT_TRUE(words_of_shell_line(" ").empty());
}

}  // namespace
}  // namespace hone
